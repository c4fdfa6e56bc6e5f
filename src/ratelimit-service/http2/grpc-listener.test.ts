import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { GrpcListener } from './grpc-listener.js';

describe('GrpcListener', () => {
  it('closes connections beyond the most there may be', async () => {
    const listener = new GrpcListener((_, message) => message, { tls: undefined, maxConnections: 1 });
    const port = await listener.listen({ host: '127.0.0.1', port: 0 });
    const first = connect(port, '127.0.0.1');
    await once(first, 'data');
    const second = connect(port, '127.0.0.1');
    second.on('error', () => {});
    let heard = 0;
    second.on('data', (bytes) => {
      heard += bytes.length;
    });
    await once(second, 'close');
    expect(heard).toBe(0);
    expect(first.destroyed).toBe(false);
    first.destroy();
    await listener.close(1_000);
  });
});
