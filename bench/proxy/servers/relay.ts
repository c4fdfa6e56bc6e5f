import { connect, createServer } from 'node:net';
import { listen } from './listen.js';

/**
 * Bytes from here to there and back, a connection to the backend for each of the load: nothing is parsed, decided, counted or
 * limited. What Node itself takes for two turns of its loop, two reads and two writes; no proxy on it can take less.
 */
export function listenRelay(backend: string): Promise<number> {
  const { hostname, port } = new URL(backend);
  return listen(
    createServer({ noDelay: true }, (client) => {
      const server = connect({ host: hostname, port: Number(port), noDelay: true });
      client.on('data', (bytes) => server.write(bytes));
      server.on('data', (bytes) => client.write(bytes));
      client.on('close', () => server.destroy());
      server.on('close', () => client.destroy());
      client.on('error', () => server.destroy());
      server.on('error', () => client.destroy());
    }),
  );
}
