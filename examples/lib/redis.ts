// A Redis for the examples: the one that PLIMSOLL_EXAMPLE_REDIS names, or one of their own on a free port.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ExampleRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** Nothing is kept on disk, and only this machine can reach it. */
export async function exampleRedis(): Promise<ExampleRedis> {
  const given = process.env['PLIMSOLL_EXAMPLE_REDIS'];
  if (given) return { url: given, stop: async () => {} };
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-example-'));
  const program = process.env['PLIMSOLL_REDIS_SERVER'] ?? 'redis-server';
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const child = spawn(program, args, { stdio: 'ignore' });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${program} ended`)));
  });
  failed.catch(() => {});
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL'))
      await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.race([answers(port), failed]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Polls until it says PONG, for at most ten seconds. */
async function answers(port: number): Promise<void> {
  const endMs = performance.now() + 10_000;
  while (performance.now() < endMs) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.write('PING\r\n');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      if (answer.toString().startsWith('+PONG')) return;
    } catch {
      // Not there yet.
    } finally {
      socket.destroy();
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`no Redis on port ${port} after 10 s`);
}
