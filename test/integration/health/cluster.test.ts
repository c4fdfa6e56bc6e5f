import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { SupervisionSnapshot } from '../../../src/server/health/index.js';
import { decodeHealthLine } from '../../../src/wire/index.js';
import { UdpClient } from './udp-client.js';

interface Exited {
  readonly exited: number;
  readonly code: number | null;
  readonly signal: string | null;
}

/** The primary of a service in a process of its own. */
class App {
  readonly process: ChildProcess;
  readonly exits: Exited[] = [];
  readonly ended: Promise<unknown[]>;
  port = 0;
  udpPort: number | undefined;
  #heard: ((line: object) => void) | undefined;

  constructor(script: string, options: object) {
    const path = fileURLToPath(new URL(script, import.meta.url));
    this.process = spawn(process.execPath, [path, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    this.ended = once(this.process, 'exit');
    createInterface({ input: this.process.stdout! }).on('line', (text) => {
      const line = JSON.parse(text) as object;
      if ('exited' in line) this.exits.push(line as Exited);
      this.#heard?.(line);
    });
  }

  /** The next line that has this. */
  async line<T extends object>(name: string): Promise<T> {
    for (;;) {
      const line = await new Promise<object>((resolve) => {
        this.#heard = resolve;
      });
      if (name in line) return line as T;
    }
  }

  async start(): Promise<this> {
    Object.assign(this, await this.line('port'));
    return this;
  }

  async snapshot(): Promise<SupervisionSnapshot> {
    const line = this.line<{ snapshot: SupervisionSnapshot }>('snapshot');
    this.process.kill('SIGUSR2');
    return (await line).snapshot;
  }

  /** Asks one worker after the other: connections are dealt out in turn. */
  async get(path: string): Promise<{ status: number | undefined; pid: string; body: string }> {
    const sent = get({ port: this.port, host: '127.0.0.1', path, agent: false });
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    let body = '';
    for await (const chunk of answer) body += chunk;
    return { status: answer.statusCode, pid: String(answer.headers['x-pid']), body };
  }

  /** What both workers' health pages say, when they agree; undefined otherwise. */
  async agreed(): Promise<string | undefined> {
    const [one, other] = [await this.get('/plimsoll/ready'), await this.get('/plimsoll/ready')];
    return one.pid !== other.pid && one.body === other.body ? one.body : undefined;
  }

  async untilAgreed(state: string): Promise<string> {
    for (;;) {
      const body = await this.agreed();
      if (body !== undefined && decodeHealthLine(body)?.state === state) return body;
    }
  }
}

let app: App;
let client: UdpClient | undefined;

async function start(options: object = {}, script = 'cluster-app.mjs'): Promise<App> {
  app = new App(script, options);
  return app.start();
}

afterEach(async () => {
  client?.close();
  client = undefined;
  if (app.process.exitCode === null && app.process.signalCode === null) {
    // Workers end with the channel to their primary.
    app.process.kill('SIGKILL');
    await app.ended;
  }
});

describe('a service of several workers', () => {
  it('speaks with one voice', async () => {
    await start();
    // Before it has heard of the others, each speaks for itself: two requests in flight.
    while (decodeHealthLine(await app.untilAgreed('ready'))?.report.inFlight !== 4);
    client = new UdpClient(app.udpPort!);
    expect(app.udpPort).toBe(app.port);
    const answer = await client.ask();
    expect(answer).toMatchObject({ state: 'ready', report: { inFlight: 4, cpuUtilization: 0.5 } });
    const { state, workers } = await app.snapshot();
    expect(state).toBe('ready');
    expect(Object.values(workers).map((worker) => worker.state)).toEqual(['ready', 'ready']);
  });

  it('is ready while one worker is, and a lame duck when all are', async () => {
    await start();
    await app.untilAgreed('ready');
    client = new UdpClient(app.udpPort!);
    await client.register();
    const pushed = client.next(({ kind, state }) => kind === 'push' && state === 'lame-duck');
    await app.get('/lame-duck');
    while (!Object.values((await app.snapshot()).workers).some(({ state }) => state === 'lame-duck'));
    expect((await client.ask()).state).toBe('ready');
    expect((await app.get('/plimsoll/ready')).status).toBe(200);
    expect((await app.get('/plimsoll/ready')).status).toBe(200);
    while ((await client.ask()).state === 'ready') await app.get('/lame-duck');
    client.acknowledge(await pushed);
    await app.untilAgreed('lame-duck');
  });

  it('does not count on a worker that has gone', async () => {
    await start();
    await app.untilAgreed('ready');
    await app.get('/crash').catch(() => {});
    client = new UdpClient(app.udpPort!);
    while ((await client.ask()).report.inFlight !== 2);
    expect((await client.ask()).state).toBe('ready');
    await app.get('/crash').catch(() => {});
    // Nothing is left to do, and health alone keeps no process alive.
    expect(await app.ended).toEqual([0, null]);
  });

  it('passes over messages that are not its own', async () => {
    await start();
    await app.untilAgreed('ready');
    expect((await app.get('/alone')).status).toBe(200);
    expect((await app.snapshot()).state).toBe('ready');
  });

  it('needs no UDP', async () => {
    await start({ supervise: { udp: false } });
    await app.untilAgreed('ready');
    expect((await app.snapshot()).udp).toBeUndefined();
  });
});

describe('the end', () => {
  it('by SIGTERM tells clients, lets every worker end by itself, and leaves none', async () => {
    await start();
    await app.untilAgreed('ready');
    client = new UdpClient(app.udpPort!);
    await client.register();
    const pushed = client.next(({ kind }) => kind === 'push');
    app.process.kill('SIGTERM');
    expect((await pushed).state).toBe('lame-duck');
    expect(await app.ended).toEqual([0, null]);
    expect(app.exits).toHaveLength(2);
    for (const exit of app.exits) expect(exit).toMatchObject({ code: 0, signal: null });
  });

  it('is no different when the workers have the signal too', async () => {
    await start();
    await app.untilAgreed('ready');
    const pids = [(await app.get('/plimsoll/live')).pid, (await app.get('/plimsoll/live')).pid];
    for (const pid of pids) process.kill(Number(pid), 'SIGTERM');
    app.process.kill('SIGTERM');
    expect(await app.ended).toEqual([0, null]);
    for (const exit of app.exits) expect(exit).toMatchObject({ code: 0, signal: null });
  });

  it('comes to those who do not end by themselves', async () => {
    await start({ hang: true, supervise: { drainMs: 200 } });
    app.process.kill('SIGTERM');
    expect(await app.ended).toEqual([1, null]);
    expect(app.exits.map(({ signal }) => signal)).toEqual(['SIGKILL', 'SIGKILL']);
  });

  it('is at once when it is asked for twice', async () => {
    await start({ hang: true });
    client = new UdpClient(app.udpPort!);
    app.process.kill('SIGTERM');
    while ((await client.ask()).state !== 'lame-duck');
    app.process.kill('SIGINT');
    expect(await app.ended).toEqual([130, null]);
  });

  it.each(['the primary', 'all at once'])(
    'loses no request of workers that serve, when %s hears of it',
    async (who) => {
      await start({}, 'cluster-serve.mjs');
      client = new UdpClient(app.udpPort!);
      while ((await client.ask()).state !== 'ready');
      await client.register();
      const pushed = client.next(({ kind, state }) => kind === 'push' && state === 'lame-duck');
      const requests = [app.get('/600'), app.get('/600')];
      // In flight at both: the primary knows from what they report.
      while ((await client.ask()).report.inFlight !== 2);
      process.kill(who === 'the primary' ? app.process.pid! : -app.process.pid!, 'SIGTERM');
      await pushed;
      expect((await Promise.all(requests)).map(({ body }) => body)).toEqual(['done', 'done']);
      expect(await app.ended).toEqual([0, null]);
      for (const exit of app.exits) expect(exit).toMatchObject({ code: 0, signal: null });
    },
  );
});
