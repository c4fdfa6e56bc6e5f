import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { customSignal } from '../../../../src/core/index.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { EchoBackend } from '../echo-backend.js';
import { RunningGateway } from '../running-gateway.js';

expectNoMishaps();

const BETA = { headers: { 'x-beta': '1' } };

let one: EchoBackend;
let two: EchoBackend;
let gateway: RunningGateway;
let utilization: number;
let version: number;

beforeEach(async () => {
  utilization = 0;
  version = 1;
  [one, two] = await Promise.all([EchoBackend.start('one'), EchoBackend.start('two')]);
  for (const [name, backend] of Object.entries({ one, two }))
    backend.handler = (_, res) =>
      res.setHeader('cache-control', 'public, max-age=0').end(`${name} v${version}`);
});
afterEach(async () => {
  await gateway.stop();
  await Promise.all([one.stop(), two.stop()]);
});

const settings = (routes: string) => `
services:
  one: { backends: ["${one.url}"], health: false }
  two: { backends: ["${two.url}"], health: false }
routes:
${routes}`;

async function start(routes: string): Promise<void> {
  gateway = await RunningGateway.start(settings(routes), {
    guard: { signals: { custom: [customSignal('test', () => utilization)] } },
  });
}

/** From here on all that is SHEDDABLE is answered with a copy, where there is one. */
function overload(): void {
  version = 2;
  utilization = 0.8;
}

const textOf = async (asked?: object) => (await gateway.ask('/page', asked)).text;

describe('under overload, of what a route has kept', () => {
  it('a route of the same path for another service gives nothing', async () => {
    await start(`
  - { name: beta, path: /page, headers: { x-beta: "1" }, to: one, criticality: SHEDDABLE, stale: true }
  - { name: all, path: /page, to: two, criticality: SHEDDABLE, stale: true }`);
    expect(await textOf(BETA)).toBe('one v1');
    overload();
    expect(await textOf()).toBe('two v2');
    expect(await textOf(BETA)).toBe('one v1');
  });

  it.each([
    ['answers are edited in another way', 'answerHeaders: { set: { x-for: beta } }'],
    ['requests are edited in another way', 'requestHeaders: { set: { x-flags: beta } }'],
    ['another page is asked for', 'rewrite: /beta'],
    ['only the route differs', ''],
  ])('a route of the same service gives nothing where %s', async (_, edits) => {
    await start(`
  - { name: beta, path: /page, headers: { x-beta: "1" }, to: one, criticality: SHEDDABLE, stale: true, ${edits} }
  - { name: all, path: /page, to: one, criticality: SHEDDABLE, stale: true }`);
    expect(await textOf(BETA)).toBe('one v1');
    overload();
    expect(await textOf()).toBe('one v2');
    expect(await textOf(BETA)).toBe('one v1');
  });

  it.each([
    ['leads elsewhere', 'to: two', 'two v2'],
    ['edits answers', 'to: one, answerHeaders: { remove: [x-internal] }', 'one v2'],
    ['is for other requests', 'to: one, headers: { x-beta: false }', 'one v2'],
  ])('nothing is given any more after a reload in which it %s', async (_, changed, fresh) => {
    await start('  - { name: all, path: /page, to: one, criticality: SHEDDABLE, stale: true }');
    expect(await textOf()).toBe('one v1');
    await gateway.reload(
      settings(`  - { name: all, path: /page, ${changed}, criticality: SHEDDABLE, stale: true }`),
    );
    overload();
    expect(await textOf()).toBe(fresh);
  });

  it('all is there after a reload that changes something else', async () => {
    await start('  - { name: all, path: /page, to: one, criticality: SHEDDABLE, stale: true }');
    expect(await textOf()).toBe('one v1');
    await gateway.reload(
      settings(
        '  - { name: renamed, path: /page, to: one, criticality: SHEDDABLE, stale: true, timeout: 3s, maxBody: 1MB }',
      ),
    );
    overload();
    expect(await textOf()).toBe('one v1');
  });

  it('nothing is given once something was written by the route for that', async () => {
    await start(`
  - { name: read, path: /page, methods: [GET], to: one, criticality: SHEDDABLE, stale: true }
  - { name: write, path: /page, methods: [POST], to: one, stale: true, maxBody: 1KB }`);
    expect(await textOf()).toBe('one v1');
    expect(await textOf({ method: 'POST', body: 'new' })).toBe('one v1');
    overload();
    expect(await textOf()).toBe('one v2');
  });
});
