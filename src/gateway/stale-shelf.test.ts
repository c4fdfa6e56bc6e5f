import { describe, expect, it } from 'vitest';
import { exchange, type RequestParts } from '../server/stale/exchange.contract.js';
import type { RouteCopies } from './route-copies.js';
import { parseGatewaySettings } from './settings/index.js';
import { StaleShelf } from './stale-shelf.js';

const NOBODY = undefined;

/** What a shelf has for routes, each given as text. */
function copiesOf(
  routes: readonly string[],
  given: { identity?: string; shelf?: StaleShelf; host?: string } = {},
) {
  const { identity = '{}', shelf = new StaleShelf(), host = 'request' } = given;
  const text = `listen: 1\nservices: { a: { backends: ["http://a:1"] }, b: { backends: ["http://b:1"] } }
identity: ${identity}\nroutes:\n${routes.map((route) => `  - { ${route} }`).join('\n')}`;
  const settings = parseGatewaySettings(text, 'x', {});
  return settings.routes.map((route) => shelf.for(route, { host }, settings.identity)!);
}

function keep(copies: RouteCopies, text: string, customer: string | undefined, parts?: RequestParts): void {
  const { req, res } = exchange(parts);
  copies.capture(req, res, customer);
  res.end(text);
}

function served(copies: RouteCopies, customer: string | undefined, parts?: RequestParts): boolean {
  const { req, res } = exchange(parts);
  return copies.serve(req, res, customer, performance.now());
}

const PLAIN = 'path: /a, to: a, stale: true';

describe('old answers', () => {
  it('are kept for routes that want them', () => {
    const [none, some] = copiesOf(['path: /b, to: a', PLAIN]);
    expect(none).toBeUndefined();
    keep(some!, 'old', NOBODY);
    expect(served(some!, NOBODY)).toBe(true);
  });

  it('of one customer are not for another, nor of one who is known for one who is not', () => {
    const [copies] = copiesOf([PLAIN]);
    keep(copies!, 'old', 'me');
    expect(['me', 'them', '', NOBODY].map((customer) => served(copies!, customer))).toEqual([
      ...[true, false, false, false],
    ]);
  });

  it('are not kept of those who say who they are, by whatever header', () => {
    const identity = `{ apiKeys: { header: X-Pass, keys: { "sha256:${'0'.repeat(64)}": acme } } }`;
    const [copies] = copiesOf([PLAIN], { identity });
    const known = { headers: { 'x-pass': 'k' } };
    keep(copies!, 'old', NOBODY, known);
    expect(served(copies!, NOBODY, known)).toBe(false);
  });

  it.each([
    ['to: b'],
    ['to: a, headers: { x-beta: "1" }'],
    ['to: a, rewrite: /b'],
    ['to: a, requestHeaders: { remove: [x-flags] }'],
    ['to: a, answerHeaders: { set: { x-for: b } }'],
  ])('are not for a route that is answered in another way: %s', (other) => {
    const [own, others] = copiesOf([PLAIN, `path: /other, stale: true, ${other}`]);
    keep(own!, 'old', NOBODY);
    expect([served(own!, NOBODY), served(others!, NOBODY)]).toEqual([true, false]);
  });

  it('are not for a service that is told another host', () => {
    const shelf = new StaleShelf();
    const [before] = copiesOf([PLAIN], { shelf });
    keep(before!, 'old', NOBODY);
    const [after] = copiesOf([PLAIN], { shelf, host: 'backend' });
    expect(served(after!, NOBODY)).toBe(false);
  });

  it('are for routes that are answered in the same way, and forgotten when one of them writes', () => {
    const [read, write] = copiesOf([
      'path: /a, methods: [GET], to: a, stale: true',
      'path: "/*", methods: [POST], to: a, stale: true, timeout: 1s, criticality: SHEDDABLE',
    ]);
    keep(read!, 'old', NOBODY);
    expect(served(read!, NOBODY)).toBe(true);
    keep(write!, 'written', NOBODY, { method: 'POST' });
    expect(served(read!, NOBODY)).toBe(false);
  });

  it('have one room together', () => {
    const [one, other] = copiesOf([PLAIN, 'path: /b, to: b, stale: true']);
    keep(one!, 'old', NOBODY);
    for (let i = 0; i < 1_000; i++) keep(other!, 'old', NOBODY, { url: `/${i}` });
    expect(served(one!, NOBODY)).toBe(false);
  });

  it('are as long as their routes say', () => {
    const [short, long] = copiesOf([
      'path: /a, to: a, stale: { maxBody: 10B }',
      'path: /b, to: a, stale: { maxBody: 1KB }',
    ]);
    for (const copies of [short, long]) keep(copies!, 'more than ten letters', NOBODY);
    expect([short, long].map((copies) => served(copies!, NOBODY))).toEqual([false, true]);
  });
});
