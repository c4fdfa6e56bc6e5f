import { expect, it } from 'vitest';
import { parseTopArgs } from './top-args.js';

const parse = (args: string[], environment = {}) => parseTopArgs(args, environment);

it('takes the URL of an admin port', () => {
  expect(parse(['http://127.0.0.1:9901'])).toEqual({
    origin: 'http://127.0.0.1:9901',
    token: undefined,
    everyMs: 1_000,
    isOnce: false,
  });
  expect(parse(['localhost:9901/dashboard/'])?.origin).toBe('http://localhost:9901');
  expect(parse(['https://gateway.internal', '--every', '250ms', '--once'])).toMatchObject({
    origin: 'https://gateway.internal',
    everyMs: 250,
    isOnce: true,
  });
  expect(parse(['--help'])).toBe(undefined);
});

it('finds the token', () => {
  const environment = { PLIMSOLL_ADMIN_TOKEN: 'of-the-environment' };
  expect(parse(['h:1'], environment)?.token).toBe('of-the-environment');
  expect(parse(['http://h:1/dashboard/#token=of-the-url'], environment)?.token).toBe('of-the-url');
  expect(parse(['http://h:1/#token=a+b/c=='])?.token).toBe('a+b/c==');
  expect(parse(['h:1', '--token', 'given'], environment)?.token).toBe('given');
  expect(parse(['h:1'], { PLIMSOLL_ADMIN_TOKEN: '' })?.token).toBe(undefined);
});

it.each([
  [[], 'top needs the URL of an admin port'],
  [['a', 'b'], 'top takes one URL, got a and b'],
  [['http://'], 'top needs a URL like http://127.0.0.1:9901'],
  [['a', '--every', '1ms'], '--every must be a duration from 250ms to 1min, got "1ms"'],
  [['a', '--every', 'often'], '--every must be'],
  [['a', '--one'], "Unknown option '--one'"],
])('does not take %j', (args, problem) => {
  expect(() => parse(args)).toThrow(problem);
});
