import { describe, expect, it } from 'vitest';
import { Routes } from './routes.js';

const nameOf = (routes: Routes, method: string, url: string) => routes.find(method, url).name;

describe('routes', () => {
  it('without any, everything is other', () => {
    expect(nameOf(new Routes(), 'GET', '/x')).toBe('other');
  });

  it('matches plain paths, parameters and rests, whatever the query', () => {
    const routes = new Routes([
      { path: '/' },
      { path: '/users/:id' },
      { path: '/users/:id/posts', method: 'post' },
      { path: '/static/*', name: 'files' },
    ]);
    const cases: [string, string, string][] = [
      ['GET', '/', '/'],
      ['GET', '/?a=1', '/'],
      ['GET', '/users/7', '/users/:id'],
      ['GET', '/users/7?x=/a/b', '/users/:id'],
      ['POST', '/users/7/posts', 'POST /users/:id/posts'],
      ['GET', '/users/7/posts', 'other'],
      ['GET', '/users', 'other'],
      ['GET', '/users/7/8/9', 'other'],
      ['GET', '/static', 'other'],
      ['GET', '/static/', 'files'],
      ['GET', '/static/a/b/c', 'files'],
      ['OPTIONS', '*', 'other'],
      ['GET', '', 'other'],
      ['GET', `/static/${'a/'.repeat(1_000)}`, 'files'],
    ];
    for (const [method, url, name] of cases)
      expect([method, url, nameOf(routes, method, url)]).toEqual([method, url, name]);
  });

  it('of several that fit, the first given holds', () => {
    const pattern = new Routes([{ path: '/:any', name: 'first' }, { path: '/a' }]);
    expect(nameOf(pattern, 'GET', '/a')).toBe('first');
    const plain = new Routes([{ path: '/a', name: 'first' }, { path: '/:any' }]);
    expect(nameOf(plain, 'GET', '/a')).toBe('first');
    const byMethod = new Routes([
      { path: '/a', method: 'GET', name: 'get' },
      { path: '/a', name: 'any' },
    ]);
    expect([nameOf(byMethod, 'GET', '/a'), nameOf(byMethod, 'PUT', '/a')]).toEqual(['get', 'any']);
  });

  it.each([
    // Exempt as it stands, and perhaps not what is meant; or the other way round.
    ['/static/../admin', 'other'],
    ['/static/%2e%2e/admin', 'other'],
    ['/static/..%2fadmin', 'other'],
    ['/static\\..\\admin', 'other'],
    ['/%73tatic/a', 'other'],
    ['http://any.example/static/a', 'other'],
    // Raised, or lowered.
    ['/pay/../batch/1', '/batch/*'],
    ['/%62atch/1', '/batch/*'],
    ['//batch//1', '/batch/*'],
    ['HTTPS://any.example:8/batch/1?q', '/batch/*'],
    ['/batch/../pay', '/batch/*'],
    ['/batch/%zz', '/batch/*'],
    ['*', 'other'],
    ['/static/%2e%2e/admin/%ff', 'other'],
    ['/static/%252e%252e/admin', 'other'],
    ['/static/..%5cadmin/%', 'other'],
    ['/batch/1/', '/batch/*'],
    ['/Batch/1', '/batch/*'],
    ['/batch/1#x', '/batch/*'],
    ['//x/batch/1', '/batch/*'],
    ['/report/', '/report'],
    ['/REPORT;v=1', '/report'],
    // In both ways of reading the same.
    ['/users/AbC', '/users/:id'],
    ['/Mixed/Case', '/Mixed/:any'],
    ['/static/a%20b', '/static/*'],
    ['/static/.well-known', '/static/*'],
    ['/users/a%2Fb', '/users/:id'],
  ])('takes %s for what gets it the least', (url, name) => {
    const routes = new Routes([
      { path: '/static/*', exempt: true },
      { path: '/pay', criticality: 'CRITICAL_PLUS' },
      { path: '/batch/*', criticality: 'SHEDDABLE' },
      { path: '/report', criticality: 'SHEDDABLE' },
      { path: '/Mixed/:any', exempt: true },
      { path: '/users/:id' },
    ]);
    expect(nameOf(routes, 'GET', url)).toBe(name);
  });

  it('tells what routes are said to cost', () => {
    const routes = new Routes([{ path: '/a', costMs: 5 }, { path: '/b' }, { path: '/c', costMs: 0 }]);
    expect(routes.hints()).toEqual({ '/a': 5, '/c': 0 });
  });

  it.each([
    [{ path: 'a' }, /begin with/],
    [{ path: '/a?b' }, /no query/],
    [{ path: '/*/a' }, /last part/],
    [{ path: '/a', criticality: 'HIGH' as 'CRITICAL' }, /criticality of \/a must be one of/],
    [{ path: '/a', costMs: -1 }, /costMs of \/a/],
    [{ path: 7 as unknown as string }, /begin with/],
  ])('refuses %o', (route, message) => expect(() => new Routes([route])).toThrow(message));
});
