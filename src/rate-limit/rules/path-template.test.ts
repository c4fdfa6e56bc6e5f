import fc from 'fast-check';
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
    `${'/.'.repeat(70)}/login`,
    `${'/a/..'.repeat(40)}/login`,
    `${'/%2e'.repeat(70)}/login`,
    `${'/'.repeat(70)}login`,
    '/x;/../login',
    '/x;/../login#y',
    '/x%23/../login',
    '/x%3f/../login',
    '/%6c%6fgin%ff/../login',
    `/%${'25'.repeat(100)}6cogin`,
    '/login%2f',
    '/%2elogin/%2e%2e/login',
  ])('is not got around by writing %s', (url) => {
    expect(new PathTemplate('path', '/login').matches(url)).toBe(true);
  });

  it.each([
    ['/café', '/caf%C3%A9'],
    ['/café', '/caf%c3%a9'],
    ['/café', '/c%61f%25C3%25A9'],
    ['/CAFÉ', '/caf%C3%A9'],
    ['/caf%C3%A9', '/c%61f%C3%A9'],
    ['/caf%C3%A9', '/café'],
    ['/a%20b', '/%61%20b'],
    ['/a b', '/a%20b'],
    ['/100%', '/100%25'],
    ['/a%2fb', '/%61%2Fb'],
    ['/😀', '/%F0%9F%98%80'],
    ['/%ff/login', '/%FF/%6cogin'],
    // What one decodes before it follows dots, another does after.
    ['/admin/login', '/admin/%252e%252e/../login'],
    ['/admin/login', '/admin/;x/../login'],
    ['/admin/login', '/admin//../login'],
    ['/admin/login', '/x/../admin/./%6cogin'],
    // A part may have a slash in itself.
    ['/users/:id/posts', '/users/x%2fy/%70osts'],
    ['/users/:id/posts', '/users/x%2fy/%2e/posts'],
  ])('%s is meant by %s', (template, url) => {
    expect(new PathTemplate('path', template).matches(url)).toBe(true);
  });

  it.each([
    ['/café', '/caf%C3%A8'],
    ['/café', '/caf%A9'],
    ['/login', '/a%20b;c=d'],
    ['/login', '/login%zz'],
    ['/login', '/%c3%28login'],
    ['/a/*', '/b/%2e%2e/c/./d'],
    ['/login', `/${'a'.repeat(10_000)}`],
    ['/login', `/${'a/'.repeat(2_000)}`],
    ['/login', `/files/${'%20'.repeat(500)}`],
  ])('%s is not meant by %s', (template, url) => {
    expect(new PathTemplate('path', template).matches(url)).toBe(false);
  });

  it('means all that is so by the rules of URLs, whatever is escaped', () => {
    const piece = fc.constantFrom(
      ...['/', '/', 'admin', 'login', '..', '.', '%2e', '%252e', '%2f', '%6c', '\\\\', ';', '%5c', '%3b'],
    );
    const template = new PathTemplate('path', '/admin/:any/login');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, isMeant) => {
        // By chance it is rarely the one that is meant.
        const url = `/${isMeant ? 'admin/x/' : ''}${pieces.join('')}${isMeant ? '/../login' : ''}`;
        const read = decodeURI(new URL(`http://host${url}`).pathname);
        fc.pre(/^\/admin\/[^/]+\/login$/.test(read) || /^\/admin\/[^/]+\/login$/.test(url));
        expect(template.matches(url)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('holds for what is too long or too odd to be read', () => {
    const template = new PathTemplate('path', '/login');
    expect(template.matches(`/${'a%20'.repeat(600)}`)).toBe(true);
    expect(template.matches(`/${'a/'.repeat(2_000)}${'../'.repeat(2_000)}login`)).toBe(true);
    expect(template.matches(`//a;b/${'%252e/../x;y//'.repeat(9)}#z`)).toBe(true);
  });

  it.each(['login', '/a?b', '/*/a', 5])('refuses %j', (template) => {
    expect(() => new PathTemplate('path', template as string)).toThrow(/^path must/);
  });
});
