import { describe, expect, it } from 'vitest';
import { parseBackendFile } from './backend-file.js';

describe('a file of backends', () => {
  it.each([
    ['["http://a", {"url": "http://b"}]', ['http://a', { url: 'http://b' }]],
    ['{"backends": ["http://a"]}', ['http://a']],
    ['- http://a\n- url: http://b\n  zone: z\n', ['http://a', { url: 'http://b', zone: 'z' }]],
    ['backends:\n  - http://a\n', ['http://a']],
    ['[]', []],
    ['backends: []', []],
  ])('may be %j', (text, entries) => {
    expect(parseBackendFile(text)).toEqual(entries);
  });

  it.each([
    ['', 'empty'],
    [' \n\n', 'empty'],
    ['# nothing yet\n', 'must be a list'],
    ['backends:\n', 'must be a list'],
    ['{"urls": []}', 'must be a list'],
    ['7', 'must be a list'],
    ['["http://a", "http:', 'line 1'],
    ['- http://a\n- "http://b', 'line 2'],
    ['- &x http://a\n- *x', 'Alias'],
    ['- !thing x', 'line 1'],
  ])('is not %j', (text, reason) => {
    expect(() => parseBackendFile(text)).toThrow(reason);
  });

  it.each(['['.repeat(100_000), '- '.repeat(100_000), '{"a":'.repeat(50_000)])(
    'does not end the process by brackets without end',
    (text) => {
      expect(() => parseBackendFile(text)).toThrow('nested');
    },
  );
});
