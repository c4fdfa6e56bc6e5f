import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { checkPort } from './port-check.js';

it('says that a port is taken, and leaves it free otherwise', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(checkPort(port)).rejects.toThrow(String(port));
  await new Promise((resolve) => server.close(resolve));
  await checkPort(port);
  await checkPort(port);
  await checkPort(0);
});
