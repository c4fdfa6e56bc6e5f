import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { AdminReader } from './admin-reader.js';
import { Watch } from './watch.js';

/** Takes requests, and never answers any. */
const silent = createServer(() => {});

afterEach(() => {
  silent.closeAllConnections();
  silent.close();
});

it('ends at once, whatever it waits for', async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const asked = new Promise((resolve) => silent.once('request', resolve));
  const { port } = silent.address() as AddressInfo;
  const watch = new Watch(new AdminReader(`http://127.0.0.1:${port}`, undefined), 1_000);
  let looks = 0;
  const over = watch.run(() => looks++);
  await asked;
  watch.end();
  await over;
  expect(looks).toBe(0);
});
