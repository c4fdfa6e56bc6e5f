import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The program: `PLIMSOLL_REDIS_SERVER=/path/to/valkey-server npm test` tries another one. */
const PROGRAM = process.env['PLIMSOLL_REDIS_SERVER'] ?? 'redis-server';

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A real Redis on a free port with a folder of its own, to be treated badly. */
export class RedisServer {
  readonly port: number;
  readonly url: string;
  readonly #args: readonly string[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'plimsoll-redis-'));
  #process: ChildProcess | undefined = undefined;

  private constructor(port: number, args: readonly string[]) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#args = args;
  }

  /** `args` as on the command line: `['--appendonly', 'yes']`. Without any it keeps nothing on disk. */
  static async start(args: readonly string[] = [], port?: number): Promise<RedisServer> {
    const server = new RedisServer(port ?? (await freePort()), args);
    await server.#start();
    return server;
  }

  /** What a crash does. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Connections stay open, and nobody answers. */
  pause(): void {
    this.#process!.kill('SIGSTOP');
  }

  resume(): void {
    this.#process!.kill('SIGCONT');
  }

  /** Killed, and there again on the same port; empty, unless it was told to keep a file. */
  async restart(): Promise<void> {
    await this.kill();
    await this.#start();
  }

  async stop(): Promise<void> {
    await this.#end('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async #start(): Promise<void> {
    const args = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.#folder, '--save', ''];
    const child = spawn(PROGRAM, [...args, ...this.#args], { stdio: ['ignore', 'pipe', 'inherit'] });
    // Read, so that its pipe never fills; kept, so that a failed start can be explained.
    let said = '';
    child.stdout.on('data', (bytes: Buffer) => {
      said = `${said}${bytes}`.slice(-4_000);
    });
    const failed = new Promise<never>((_, reject) => {
      child.once('error', (error) => reject(new Error(`${PROGRAM} could not be started: ${error.message}`)));
      child.once('exit', () => reject(new Error(`${PROGRAM} ended at once:\n${said}`)));
    });
    failed.catch(() => {});
    this.#process = child;
    await Promise.race([this.#answers(), failed]);
  }

  async #answers(): Promise<void> {
    const deadline = Date.now() + 20_000;
    while (Date.now() < deadline) {
      if (await isAnswering(this.port)) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`${PROGRAM} did not answer on port ${this.port} within 20 s`);
  }
}

async function isAnswering(port: number): Promise<boolean> {
  const socket: Socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    // One that wants a password first is there, too; one that is still loading is not.
    return /^(\+PONG|-NOAUTH)/.test(answer.toString());
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
