import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { PathTemplate as LenientTemplate } from '../../rate-limit/rules/path-template.js';
import { isFound, lookUp } from './look-up.js';
import { PathIndex } from './path-index.js';
import { PathTemplate } from './path-template.js';
import type { RouteConditions } from './route-match.js';
import { RouteTable } from './route-table.js';
import { TRICKY_PATHS } from './tricky-paths.contract.js';

type Named = { readonly name: string };

function table(...routes: (RouteConditions & Partial<Named>)[]): RouteTable<Named> {
  return new RouteTable(routes.map((route, i) => [route, { name: route.name ?? String(i) }] as const));
}

function find(
  routes: RouteTable<Named>,
  url: string,
  { method = 'GET', ...headers }: Record<string, string> = {},
): unknown {
  const found = lookUp(routes, { method, url, header: (name) => headers[name] });
  return isFound(found) ? found.route.name : found;
}

describe('routes', () => {
  it('are tried in the order given', () => {
    const routes = table({ path: '/a/:x' }, { path: '/a/b' }, { path: '/c' }, { path: '/*' });
    expect(['/a/b', '/a/z', '/c', '/d', '/', '/a', '/a/b/c'].map((url) => find(routes, url))).toEqual([
      '0',
      '0',
      '2',
      '3',
      '3',
      '3',
      '3',
    ]);
    const others = table({ path: '/a/b' }, { path: '/a/:x' }, { path: '/a/*' });
    expect(['/a/b', '/A/B/', '/a/z', '/a', '/a/b/c', '/'].map((url) => find(others, url))).toEqual([
      '0',
      '0',
      '1',
      '2',
      '2',
      'not-found',
    ]);
  });

  it('know their hosts', () => {
    const routes = table(
      { path: '/x', host: '*.example.com' },
      { path: '/*', host: ['a.example.com', 'EXAMPLE.com'] },
      { path: '/*', host: '*.example.com' },
      { path: '/*' },
    );
    const at = (host: string, url = '/') => find(routes, url, { host });
    expect(at('a.example.com')).toBe('1');
    expect(at('A.Example.com.:8080')).toBe('1');
    expect(at('a.example.com', '/x')).toBe('0');
    expect(at('example.com:80')).toBe('1');
    expect(at('b.c.example.com')).toBe('2');
    expect(at('notexample.com')).toBe('3');
    expect(at('[::1]:80')).toBe('3');
    expect(find(routes, 'http://b.example.com/')).toBe('2');
    expect(find(routes, 'http://b.example.com/', { host: 'a.example.com' })).toBe('bad-request');
    expect(find(routes, '*')).toBe('asterisk');
  });

  it('know methods and headers', () => {
    const routes = table(
      { path: '/a', methods: ['GET'], headers: { 'X-Beta': true } },
      { path: '/a', methods: ['GET'], headers: { 'x-v': '2' } },
      { path: '/a', methods: ['PUT', 'GET'], headers: { 'x-v': false } },
      { path: '/b', methods: ['POST'] },
    );
    expect(find(routes, '/a')).toBe('2');
    expect(find(routes, '/a', { method: 'HEAD' })).toBe('2');
    expect(find(routes, '/a', { 'x-beta': '' })).toBe('0');
    expect(find(routes, '/a', { 'x-v': '2' })).toBe('1');
    expect(find(routes, '/a', { 'x-v': '3' })).toBe('not-found');
    expect(find(routes, '/a', { method: 'POST' })).toEqual({ allow: ['GET', 'HEAD', 'PUT'] });
    expect(find(routes, '/b')).toEqual({ allow: ['POST'] });
  });

  it('refuse what somebody else would send along another one', () => {
    const routes = table({ path: '/admin/*' }, { path: '/users/:id' }, { path: '/*' });
    expect(find(routes, '/admin;x/y')).toBe('ambiguous');
    expect(find(routes, '/%2561dmin')).toBe('ambiguous');
    expect(find(routes, '/admin%3fx')).toBe('ambiguous');
    expect(find(routes, '/users/1;v=2')).toBe('1');
    expect(find(routes, '/x;v=2')).toBe('2');
    expect(find(routes, '/a/../admin')).toBe('bad-request');
  });

  it('let nobody around one by a way of writing', () => {
    const routes = table({ path: '/admin/*', name: 'admin' }, { path: '/*', name: 'all' });
    const lenient = new LenientTemplate('path', '/admin/*');
    let open = 0;
    fc.assert(
      fc.property(TRICKY_PATHS, (url) => {
        const found = lookUp(routes, { method: 'GET', url, header: () => undefined });
        if (!isFound(found) || found.route.name === 'admin') return;
        open++;
        // Any order of decoding, cutting, merging and stepping up that frameworks have, on what they are sent.
        expect(lenient.matches(found.path.path)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
    expect(open).toBeGreaterThan(100);
  });

  it('cost the same however many there are', () => {
    const index = new PathIndex<{ order: number; template: PathTemplate }>();
    for (let order = 0; order < 1_000; order++)
      index.add({ order, template: new PathTemplate(`/api/${order}/:id`) });
    const accepts = vi.fn(() => true);
    expect(index.find(['api', '900', 'x'], accepts)?.order).toBe(900);
    expect(accepts).toHaveBeenCalledOnce();
  });
});
