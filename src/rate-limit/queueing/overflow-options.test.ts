import { describe, expect, it } from 'vitest';
import {
  checkOverflowOptions,
  hasHashTag,
  OVERFLOW_DEFAULTS,
  type OverflowQueueOptions,
} from './overflow-options.js';

const check = (options: unknown) => () => checkOverflowOptions(options as OverflowQueueOptions);

describe('options of the overflow queue', () => {
  it('have defaults that work in a Cluster', () => {
    expect(checkOverflowOptions({})).toMatchObject({ ...OVERFLOW_DEFAULTS, perform: undefined });
    expect(hasHashTag(OVERFLOW_DEFAULTS.prefix)).toBe(true);
    expect(['{a}', 'x:{b}:y', 'plain', '{}', '}{'].map(hasHashTag)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it.each([
    [{ concurrency: 0 }, 'concurrency must be an integer >= 1, got 0'],
    [{ attempts: 1.5 }, 'attempts must be an integer >= 1, got 1.5'],
    [{ backoffMs: -1 }, 'backoffMs must be a finite number > 0, got -1'],
    [{ maxBodyBytes: 2 ** 40 }, 'maxBodyBytes must be an integer from 0 to 67108864'],
    [{ takeOverMs: 0 }, 'takeOverMs must be a finite number > 0, got 0'],
    [{ name: 'a:b' }, 'name must be without a colon, got "a:b"'],
    [{ name: '' }, 'name must be 1 to 64'],
    [{ prefix: 'a b' }, 'prefix must be 1 to 64'],
    [{ statusPath: 'queued' }, 'statusPath must be a path such as /queued, got "queued"'],
    [{ statusPath: '/queued/' }, 'statusPath must be a path'],
    [{ perform: 'me' }, 'perform must be a function, got string'],
    [{ secrets: 'no' }, 'secrets must be drop, keep or { encryptWith }, got no'],
    ['redis://u:s3cret@h', 'overflow queue must be an object of options, got a text'],
    [{ resultTtl: 5 }, 'overflow queue has no option "resultTtl"'],
  ])('refuse %j', (options, message) => {
    expect(check(options)).toThrow(message);
  });
});
