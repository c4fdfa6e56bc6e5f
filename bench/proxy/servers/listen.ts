import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

let count: () => Promise<number>;

/** For one that listens by itself. */
export function countBy(own: () => number): void {
  count = async () => own();
}

/** On any port, with room for a crowd. */
export async function listen(server: Server): Promise<number> {
  count = () => connectionsOf(server);
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** How many are open. */
export function connections(): Promise<number> {
  return count();
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
