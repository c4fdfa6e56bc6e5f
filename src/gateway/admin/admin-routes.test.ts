import { describe, expect, it, vi } from 'vitest';
import { AdminRoutes } from './admin-routes.js';
import type { AdminTarget } from './admin-target.js';

function setUp(own: Partial<AdminTarget> = {}) {
  const target: AdminTarget = {
    snapshot: async () => ({ a: 1 }),
    metrics: async () => '# TYPE a gauge\na 1\n',
    readiness: () => ({ isReady: true, reason: undefined }),
    config: async () => 'listen: 8080\n',
    lameDuck: vi.fn(async () => {}),
    drain: vi.fn(async () => {}),
    reload: vi.fn(async () => {}),
    limit: async (rule, key) => (rule === 'five' ? { rule, key, decision: undefined } : undefined),
    resetLimit: vi.fn(async (rule: string) => rule === 'five'),
    queue: async () => ({ batches: {} }),
    onEvent: () => () => {},
    ...own,
  };
  const routes = new AdminRoutes(target);
  const ask = async (method: string, url: string) => {
    const route = routes.find(method, url);
    if ('answer' in route) return route.answer;
    return route.act === 'stream' ? undefined : await route.act();
  };
  return { target, routes, ask };
}

describe('AdminRoutes', () => {
  it.each([
    ['/healthz', 'text/plain; charset=utf-8', 'ok\n'],
    ['/readyz', 'text/plain; charset=utf-8', 'ready\n'],
    ['/snapshot', 'application/json', '{"a":1}\n'],
    ['/metrics?x', 'text/plain; version=0.0.4; charset=utf-8', '# TYPE a gauge\na 1\n'],
    ['/config', 'application/yaml', 'listen: 8080\n'],
    ['/queue', 'application/json', '{"batches":{}}\n'],
    ['/limits/five?key=a%7Cb', 'application/json', '{"rule":"five","key":"a|b"}\n'],
  ])('answers GET and HEAD %s', async (url, type, body) => {
    const { ask } = setUp();
    for (const method of ['GET', 'HEAD'])
      expect(await ask(method, url)).toMatchObject({ status: 200, type, body });
  });

  it('has a list of what there is', async () => {
    const { ask } = setUp();
    const list = (await ask('GET', '/'))!.body;
    for (const path of ['/metrics', '/events', '/limits/{rule}', '/drain']) expect(list).toContain(path);
  });

  it.each([
    '/none',
    '/healthz/',
    '/limits',
    '/limits/',
    '/limits/a/b',
    '/limits/{rule}',
    '//metrics',
    '/constructor',
  ])('has nothing at %s', async (url) =>
    expect(await setUp().ask('GET', url)).toMatchObject({ status: 404 }),
  );

  it.each(['/%', 'http://a/metrics', '*', ''])('cannot read %j', async (url) => {
    expect(await setUp().ask('GET', url)).toMatchObject({ status: 400 });
  });

  it.each([
    ['POST', '/metrics', 'GET, HEAD'],
    ['GET', '/drain', 'POST'],
    ['HEAD', '/drain', 'POST'],
    ['PUT', '/limits/five', 'GET, HEAD, DELETE'],
    ['DELETE', '/', 'GET, HEAD'],
  ])('does not %s %s', async (method, url, allow) => {
    expect(await setUp().ask(method, url)).toMatchObject({ status: 405, headers: { allow } });
  });

  it('says why it is not ready', async () => {
    const { ask } = setUp({ readiness: () => ({ isReady: false, reason: 'draining' }) });
    expect(await ask('GET', '/readyz')).toMatchObject({ status: 503, body: 'draining\n' });
    expect(await ask('GET', '/healthz')).toMatchObject({ status: 200 });
  });

  it('switches by POST', async () => {
    const { ask, target } = setUp();
    expect(await ask('POST', '/lame-duck')).toMatchObject({ status: 200 });
    expect(await ask('POST', '/drain')).toMatchObject({ status: 202 });
    expect(await ask('POST', '/reload')).toMatchObject({ status: 200 });
    for (const act of [target.lameDuck, target.drain, target.reload]) expect(act).toHaveBeenCalledOnce();
  });

  it('says what is wrong with settings, without what stands there', async () => {
    const wrong = new Error('g.yaml:3:8: admin: must be false or a mapping, got "s3cret"');
    const { ask } = setUp({ reload: () => Promise.reject(wrong) });
    const answer = await ask('POST', '/reload');
    expect(answer).toMatchObject({ status: 422 });
    expect(JSON.parse(String(answer!.body)).detail).toBe(
      'g.yaml:3:8: admin: must be false or a mapping; what held before holds on',
    );
  });

  it('resets a limit that there is, for a key that is given', async () => {
    const { ask, target } = setUp();
    expect(await ask('DELETE', '/limits/five?key=a')).toMatchObject({ status: 200 });
    expect(target.resetLimit).toHaveBeenCalledWith('five', 'a');
    expect(await ask('DELETE', '/limits/six?key=a')).toMatchObject({ status: 404 });
    expect(await ask('GET', '/limits/six?key=a')).toMatchObject({ status: 404 });
    expect(await ask('GET', '/limits/five')).toMatchObject({ status: 400 });
    expect(await ask('DELETE', '/limits/five?key=')).toMatchObject({ status: 400 });
    expect(await ask('GET', `/limits/five?key=${'x'.repeat(1_025)}`)).toMatchObject({ status: 400 });
  });

  it('leads browsers to the page, and has its files by exact names alone', async () => {
    const { routes, ask } = setUp();
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const toPage = routes.find('GET', '/', { accept });
    expect(toPage).toMatchObject({ access: 'page' });
    const act = (toPage as { act: () => unknown }).act;
    expect(act()).toMatchObject({ status: 302, headers: { location: 'dashboard/' } });
    expect(await ask('GET', '/dashboard')).toMatchObject({ status: 302 });
    for (const path of ['/dashboard/', '/dashboard/assets/a.js', '/dashboard/../x', '/dashboard/%2e%2e/x'])
      expect(routes.find('GET', path)).toMatchObject({ access: 'page' });
    expect(await ask('POST', '/dashboard/')).toMatchObject({ status: 405 });
    for (const other of ['application/json', '*/*', 'text/html-sandboxed'])
      expect(routes.find('GET', '/', { accept: other })).toMatchObject({ access: undefined });
  });

  it('has what somebody adds, which may read and change', async () => {
    const controls = new Map([['load', 1]]);
    const { ask, routes } = setUp({
      further: {
        snapshot: () => ({ demo: { load: controls.get('load') }, a: 'not this one' }),
        paths: [
          { path: '/demo', what: 'GET: all of it', get: () => ({ load: controls.get('load') }) },
          {
            path: '/demo/{control}',
            what: 'POST ?value=…: changes it',
            post: ({ name, query }) => {
              if (!controls.has(name)) return undefined;
              const value = Number(query.get('value'));
              if (!(value > 0)) throw new RangeError(`${name} must be > 0, got ${query.get('value')}`);
              controls.set(name, value);
              return { [name]: value };
            },
          },
        ],
      },
    });
    expect(await ask('GET', '/snapshot')).toMatchObject({ body: '{"demo":{"load":1},"a":1}\n' });
    expect(await ask('GET', '/demo')).toMatchObject({ status: 200, body: '{"load":1}\n' });
    expect(await ask('POST', '/demo/load?value=2.5')).toMatchObject({ status: 200, body: '{"load":2.5}\n' });
    expect(await ask('POST', '/demo/none?value=2')).toMatchObject({ status: 404 });
    const wrong = await ask('POST', '/demo/load?value=x');
    expect(wrong).toMatchObject({ status: 422 });
    expect(wrong!.body).toContain('load must be > 0, got x');
    expect(await ask('GET', '/demo/load')).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect(routes.find('POST', '/demo/load')).toMatchObject({ access: undefined });
    expect((await ask('GET', '/'))!.body).toContain('/demo/{control}');
  });

  it('has no path twice', () => {
    const further = { snapshot: () => ({}), paths: [{ path: '/limits/{x}', what: '' }] };
    expect(() => setUp({ further })).toThrow('a path of the admin port is there twice');
  });

  it('knows who needs not be known, and what changes something', () => {
    const { routes } = setUp();
    expect(routes.find('GET', '/readyz')).toMatchObject({ access: 'anybody' });
    expect(routes.find('GET', '/snapshot')).toMatchObject({ access: undefined });
    expect(routes.find('GET', '/')).toMatchObject({ access: undefined });
    expect(routes.find('GET', '/events?snapshots=false')).toMatchObject({ act: 'stream' });
  });
});
