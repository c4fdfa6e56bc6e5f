import { createServer } from 'node:net';
import { ListenError } from '../../gateway/index.js';

/** Rejects with what is wrong in one line when nobody could listen there: before eight processes have been started for it. */
export async function checkPort(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError(`127.0.0.1:${port}`, error)));
    server.listen({ host: '127.0.0.1', port }, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
