import { describe, expect, it } from 'vitest';
import { readPath } from './request-path.js';

describe('the path of a request', () => {
  it.each([
    ['/', '/', []],
    ['/users/5', '/users/5', ['users', '5']],
    ['/Users/5/', '/Users/5/', ['users', '5']],
    ['//users///5', '/users/5', ['users', '5']],
    ['/%61dmin', '/%61dmin', ['admin']],
    ['/a%20b/c+d', '/a%20b/c+d', ['a b', 'c+d']],
    ['/caf%C3%A9', '/caf%C3%A9', ['café']],
    ['/file.tar.gz', '/file.tar.gz', ['file.tar.gz']],
    ['/.well-known/x', '/.well-known/x', ['.well-known', 'x']],
    ['/...', '/...', ['...']],
    ['/a:b@c', '/a:b@c', ['a:b@c']],
    ['/100%25', '/100%25', ['100%']],
  ])('%s is sent on as %s', (given, path, parts) => {
    expect(readPath(given)).toMatchObject({ path, parts });
  });

  it.each([
    'users',
    '',
    '*',
    '/a/../b',
    '/a/./b',
    '/..',
    '/a/%2e%2e/b',
    '/a/.%2E/b',
    '/a%2fb',
    '/a%5Cb',
    '/a\\b',
    '/a%00',
    '/a%0d%0ab',
    '/a b',
    '/a#b',
    '/a%',
    '/a%zz',
    '/a%c0%af',
    '/%ff',
    '/a%252fb',
    '/a%25252e%25252e/b',
    '/..;/b',
    '/..%3b/b',
    '/%ef%bc%8fb',
    '/%ef%bc%8e%ef%bc%8e/b',
  ])('%s is refused', (given) => {
    expect(readPath(given)).toBe(undefined);
  });

  it.each([
    ['/admin;x=1/y', [['admin', 'y'], ['admin']]],
    [
      '/a/b%3fc',
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    ],
    ['/%2561dmin', [['admin']]],
  ])('%s might be read as %j', (given, others) => {
    expect(readPath(given)?.others).toEqual(others);
  });
});
