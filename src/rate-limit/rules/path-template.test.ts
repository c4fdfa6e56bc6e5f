import { describe, expect, it } from 'vitest';
import { PathTemplate } from './path-template.js';

describe('PathTemplate', () => {
  it.each([
    ['/', '/', true],
    ['/', '/a', false],
    ['/login', '/login', true],
    ['/login', '/login?next=/', true],
    ['/login', '/logins', false],
    ['/login', '/login/now', false],
    ['/users/:id', '/users/7', true],
    ['/users/:id', '/users', false],
    ['/users/:id/posts', '/users/7/posts', true],
    ['/users/:id/posts', '/users/7/likes', false],
    ['/api/*', '/api/a/b', true],
    ['/api/*', '/api', true],
    ['/api/*', '/apis', false],
    ['/*', '/anything', true],
  ])('%s and %s: %s', (template, url, expected) => {
    expect(new PathTemplate('path', template).matches(url)).toBe(expected);
  });

  it.each([
    '/LOGIN',
    '/login/',
    '//login',
    '/%6cogin',
    '/%256cogin',
    '/static/../login',
    '/./login',
    '\\login',
    '/login;a=1',
    '/login%3Fa',
    'http://host/login',
    '//host/login',
    '/login%zz/../../login',
  ])('is not got around by writing %s', (url) => {
    expect(new PathTemplate('path', '/login').matches(url)).toBe(true);
  });

  it.each(['login', '/a?b', '/*/a', 5])('refuses %j', (template) => {
    expect(() => new PathTemplate('path', template as string)).toThrow(/^path must/);
  });
});
