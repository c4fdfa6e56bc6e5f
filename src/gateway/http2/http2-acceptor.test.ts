import { Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { Http2Acceptor } from './http2-acceptor.js';
import { http2Limits } from './http2-limits.js';

it('takes no connection that has broken by then, nor is ended by it', async () => {
  const limits = http2Limits({ quietMs: 1_000, idleMs: 1_000 });
  const acceptor = new Http2Acceptor({ limits, onStream: vi.fn(), isLeaving: () => false });
  const socket = new Socket();
  socket.destroy(new Error('reset'));
  acceptor.accept(socket);
  // Told of later than it happened, when whoever looked at its first bytes listens no longer.
  await new Promise((resolve) => socket.on('close', resolve));
  expect(acceptor.connections).toBe(0);
  acceptor.close();
});
