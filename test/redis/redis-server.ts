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

/** Where it runs, when that is not simply here. */
export interface RedisPlace {
  /** Its address; from another than this machine's own it cannot be asked whether it is there. */
  readonly host?: string;
  /** The command that comes before its own, and becomes it: `['nsenter', …]`. */
  readonly before?: readonly string[];
}

const HERE = '127.0.0.1';

/** A real Redis on a free port with a folder of its own, to be treated badly. */
export class RedisServer {
  readonly port: number;
  readonly url: string;
  readonly #args: readonly string[];
  readonly #place: RedisPlace;
  readonly #folder = mkdtempSync(join(tmpdir(), 'plimsoll-redis-'));
  #process: ChildProcess | undefined = undefined;

  private constructor(port: number, args: readonly string[], place: RedisPlace) {
    this.port = port;
    this.url = `redis://${place.host ?? HERE}:${port}`;
    this.#args = args;
    this.#place = place;
  }

  /** `args` as on the command line: `['--appendonly', 'yes']`. Without any it keeps nothing on disk. */
  static async start(
    args: readonly string[] = [],
    port?: number,
    place: RedisPlace = {},
  ): Promise<RedisServer> {
    const server = new RedisServer(port ?? (await freePort()), args, place);
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
    const { host = HERE, before = [] } = this.#place;
    const args = ['--port', `${this.port}`, '--bind', host, '--dir', this.#folder, '--save', ''];
    if (host !== HERE) args.push('--protected-mode', 'no');
    const [command, ...rest] = [...before, PROGRAM, ...args, ...this.#args] as [string, ...string[]];
    const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
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
    const isThere = () => (host === HERE ? isAnswering(this.port) : said.includes('Ready to accept'));
    try {
      await Promise.race([this.#answers(isThere), failed]);
    } catch (error) {
      // Nobody else knows of it.
      await this.stop();
      throw error;
    }
  }

  async #answers(isThere: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 20_000;
    while (Date.now() < deadline) {
      if (await isThere()) return;
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
