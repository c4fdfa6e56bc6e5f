import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { parseGatewaySettings } from './settings/index.js';
import { StaleShelf } from './stale-shelf.js';

const identity = (text: string) =>
  parseGatewaySettings(`listen: 1\nroutes: [{ to: "http://a:1" }]\nidentity: ${text}`, 'x', {}).identity;

it('is shared by routes that want the same', () => {
  const shelf = new StaleShelf();
  const nobody = identity('{}');
  const some = { maxStale: '1min', maxBody: '1KB' };
  expect(shelf.for(false, nobody)).toBe(undefined);
  expect(shelf.for(true, nobody)).toBe(shelf.for(true, nobody));
  expect(shelf.for(some, nobody)).not.toBe(shelf.for(true, nobody));
  expect(shelf.for(some, nobody)?.options).toMatchObject({ maxStaleMs: 60_000, maxBodyBytes: 1_000 });
});

it('keeps answers of one customer from another', () => {
  const shelf = new StaleShelf();
  const { options } = shelf.for(true, identity('{ apiKeys: { header: X-Key } }'))!;
  expect(options.credentials).toContain('x-key');
  expect(options.credentials).toContain('cookie');
  const [mine, theirs, none] = [{}, {}, {}] as IncomingMessage[];
  shelf.keepCustomer(mine!, 'me');
  shelf.keepCustomer(theirs!, 'them');
  shelf.keepCustomer(none!, undefined);
  expect([mine, theirs, none].map((req) => options.partition!(req!))).toEqual(['me', 'them', '']);
});
