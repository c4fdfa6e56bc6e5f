import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { type HealthListener, HealthMonitor, type HealthOptions } from '../../../src/client/health/index.js';
import type { LoadReport } from '../../../src/core/index.js';
import { type RunningServer, type ServeOptions, serve } from '../../../src/server/index.js';
import {
  type ClientDatagram,
  decodeClientDatagram,
  encodeDatagram,
  type ServerDatagram,
} from '../../../src/wire/index.js';
import { until } from '../server/guarded-server.js';
import { expectNoMishaps } from '../server/mishaps.js';

/** A monitor and real servers: what it hears by which way, and that nothing else is believed. */

expectNoMishaps();

const environment = { monotonicMs: () => performance.now(), random: Math.random };
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options: ServeOptions = {}): Promise<RunningServer> {
  const running = await serve((_req, res) => res.end('hello'), {
    ...{ host: '127.0.0.1', exitOnSignal: false, onError: () => {} },
    ...options,
  });
  closing.push(() => running.close({ timeoutMs: 0, spreadMs: 0 }));
  return running;
}

/** A monitor that keeps what it hears: `push lame-duck`, `silent`. */
function monitor(options: Partial<HealthOptions> = {}) {
  const heard: string[] = [];
  const listener: HealthListener = {
    onHealth: (_key, { state }, via) => heard.push(`${via} ${state}`),
    onVerdict: (_key, verdict) => heard.push(verdict),
    onSilent: () => heard.push('silent'),
  };
  const made = new HealthMonitor(listener, environment, options);
  closing.push(() => made.close());
  return { made, heard };
}

const urlOf = (port: number, host = '127.0.0.1') => new URL(`http://${host}:${port}`);

describe('by UDP', () => {
  for (const pace of ['active', 'inactive'] as const) {
    test(`ready and lame duck are heard without asking, pace ${pace}`, async () => {
      const { guard, port } = await start({ starting: true });
      const { made, heard } = monitor();
      made.add('a', urlOf(port));
      made.setPace('a', pace);
      // The second has repeated the cookie, and is answered: from then on it is told.
      await until(() => heard.length >= 2);
      expect(heard[0]).toBe('udp starting');
      guard.ready();
      await until(() => heard.includes('push ready'));
      guard.lameDuck();
      await until(() => heard.includes('push lame-duck'));
      // Sent again until it is acknowledged; told once.
      await until(() => made.snapshot('a')?.state === 'lame-duck');
      expect(heard.filter((each) => each === 'push lame-duck')).toHaveLength(1);
      expect(made.snapshot('a')).toMatchObject({ via: 'udp', dropped: 0 });
      expect(made.strays).toBe(0);
    });
  }

  const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  );

  for (const host of ['localhost', hasIPv6 ? '::1' : '127.0.0.2']) {
    test(`${host} is found`, async () => {
      const { port } = await start({ host });
      const { made, heard } = monitor({ mode: 'udp' });
      made.add('a', urlOf(port, host.includes(':') ? `[${host}]` : host));
      await until(() => heard.includes('udp ready'));
    });
  }

  test('probes bring the load; too many at once, and one to nobody, bring nothing', async () => {
    const { port } = await start();
    const { made, heard } = monitor({ maxProbes: 20 });
    made.add('a', urlOf(port));
    await until(() => heard.length > 0);
    const reports: (LoadReport | undefined)[] = [];
    for (let i = 0; i < 30; i++) made.probe('a', 5_000, (report) => reports.push(report));
    expect(reports).toEqual(Array(10).fill(undefined));
    await until(() => reports.length === 30);
    expect(reports.slice(10).every((report) => report?.inFlight === 0)).toBe(true);
    made.probe('b', 5_000, (report) => reports.push(report));
    expect(reports).toHaveLength(31);
    expect(reports.at(-1)).toBeUndefined();
  });

  test('a probe that is not answered ends, also by removal and by close', async () => {
    const deaf = createSocket('udp4').bind(0, '127.0.0.1');
    closing.push(() => deaf.close());
    await once(deaf, 'listening');
    const { made } = monitor({ mode: 'udp' });
    for (const key of ['a', 'b', 'c']) made.add(key, urlOf(deaf.address().port));
    const ended: string[] = [];
    made.probe('a', 30, (report) => report === undefined && ended.push('a'));
    for (const key of ['b', 'c'])
      made.probe(key, 60_000, (report) => report === undefined && ended.push(key));
    await until(() => ended.length === 1);
    made.remove('b');
    made.close();
    expect(ended).toEqual(['a', 'b', 'c']);
  });

  test('a backend that ends is silent, and is ready again on the same port', async () => {
    const first = await start();
    const { made, heard } = monitor({ activeMs: 100, mostDownMs: 300 });
    made.add('a', urlOf(first.port));
    await until(() => heard.length >= 2);
    await first.close({ timeoutMs: 0, spreadMs: 0 });
    await until(() => heard.includes('silent'));
    const before = heard.length;
    const second = await start({ port: first.port });
    await until(() => made.snapshot('a')?.via === 'udp' && heard.at(-1) === 'udp ready');
    expect(heard.slice(before)).not.toContain('silent');
    // The new one has its own cookies and counts from one again.
    await until(() => heard.slice(before).filter((each) => each === 'udp ready').length >= 3);
    second.guard.lameDuck();
    await until(() => heard.includes('push lame-duck'));
  });
});

describe('by HTTP, where UDP is closed', () => {
  test('a stream tells of a lame duck at once', async () => {
    const { guard, port } = await start({ health: { udp: false } });
    const { made, heard } = monitor();
    made.add('a', urlOf(port));
    await until(() => heard.includes('watch ready'));
    expect(made.snapshot('a')).toMatchObject({ via: 'http', state: 'ready' });
    guard.lameDuck();
    await until(() => heard.includes('watch lame-duck'));
    expect(heard).not.toContain('silent');
  });

  test('a stream ends with its backend or the monitor', async () => {
    const { server, port } = await start();
    const sockets = new Set<object>();
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    const { made, heard } = monitor({ mode: 'http' });
    for (const key of ['a', 'b', 'c']) made.add(key, urlOf(port));
    await until(() => heard.length >= 3);
    made.remove('a');
    await until(() => sockets.size === 2);
    made.close();
    made.close();
    await until(() => sockets.size === 0);
    made.add('d', urlOf(port));
    expect(made.snapshot('d')).toBeUndefined();
  });

  test('a probe asks for the page', async () => {
    const { port } = await start();
    const { made, heard } = monitor({ mode: 'http' });
    made.add('a', urlOf(port));
    await until(() => heard.includes('watch ready'));
    const reports: (LoadReport | undefined)[] = [];
    for (let i = 0; i < 5; i++) made.probe('a', 10_000, (report) => reports.push(report));
    await until(() => reports.length === 5);
    expect(reports.every((report) => report !== undefined)).toBe(true);
    expect(heard.filter((each) => each === 'page ready')).toHaveLength(1);
  });

  test('who may not watch asks page by page, and so does who rarely calls', async () => {
    const { guard, port } = await start({ trust: 'none', health: { udp: false } });
    const { made, heard } = monitor({ activeMs: 50, inactiveMs: 50, mostInactiveMs: 100 });
    made.add('a', urlOf(port));
    made.add('b', urlOf(port));
    made.setPace('b', 'inactive');
    await until(() => heard.filter((each) => each === 'page ready').length >= 6);
    guard.lameDuck();
    await until(() => heard.includes('page lame-duck'));
    for (const key of ['a', 'b'])
      await until(() => made.snapshot(key)?.via === 'http' && made.snapshot(key)?.state === 'lame-duck');
    expect(heard.some((each) => each.startsWith('watch'))).toBe(false);
  });

  test('a server without health is left alone', async () => {
    const { server, port } = await start({ health: false });
    const sockets = new Set<object>();
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    const { made, heard } = monitor({ downMs: 20, answerTimeoutMs: 50 });
    made.add('a', urlOf(port));
    await until(() => made.snapshot('a')?.via === 'none');
    const { sent } = made.snapshot('a')!;
    made.checkSoon('a');
    made.setPace('a', 'down');
    let probed = 0;
    made.probe('a', 1_000, () => probed++);
    expect(probed).toBe(1);
    await until(() => sockets.size === 0);
    expect(made.snapshot('a')).toMatchObject({ via: 'none', sent, answered: 0 });
    expect(heard).toEqual([]);
  });

  test('servers that answer anything at all do no harm', async () => {
    const answers = [
      'HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\nnonsense\n{"state":"ready"}\n',
      `HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n${'x'.repeat(100_000)}`,
      `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`,
      `HTTP/1.1 404 Not Found\r\n\r\n${'x'.repeat(100_000)}`,
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab',
      'garbage\r\n\r\n',
      '',
    ];
    const { made } = monitor({ mode: 'http', httpTimeoutMs: 300, downMs: 10, mostDownMs: 20 });
    for (const [i, answer] of answers.entries()) {
      const server = createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => (i % 2 === 0 ? socket.end(answer) : socket.write(answer)));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closing.push(() => server.close());
      made.add(String(i), urlOf((server.address() as AddressInfo).port));
    }
    await until(() => answers.every((_, i) => made.snapshot(String(i))!.sent >= (i === 3 ? 2 : 5)));
    expect(made.snapshot('0')).toMatchObject({ state: 'ready', via: 'http' });
    expect(made.snapshot('0')!.dropped).toBeGreaterThan(0);
    expect(made.snapshot('3')).toMatchObject({ via: 'none' });
    for (const i of [1, 2, 4, 5, 6, 7]) expect(made.snapshot(String(i))!.answered).toBe(0);
  });
});

/** A server of UDP health that answers as it is told to, rightly or not. */
class FakeServer {
  readonly socket: Socket = createSocket('udp4');
  readonly checks: ClientDatagram[] = [];
  readonly acks: ClientDatagram[] = [];
  clientPort = 0;
  isAnswering = true;

  static async start(): Promise<FakeServer> {
    const made = new FakeServer();
    made.socket.on('message', (bytes, { port }) => {
      const datagram = decodeClientDatagram(bytes)!;
      made.clientPort = port;
      (datagram.kind === 'check' ? made.checks : made.acks).push(datagram);
      if (datagram.kind === 'check' && made.isAnswering) made.send(made.answer(datagram));
    });
    made.socket.bind(0, '127.0.0.1');
    await once(made.socket, 'listening');
    closing.push(() => made.socket.close());
    return made;
  }

  answer({ token, sequence }: ClientDatagram, given: Partial<ServerDatagram> = {}): Buffer {
    const cookie = Buffer.alloc(8, 7);
    return encodeDatagram({ kind: 'answer', token, cookie, sequence, state: 'ready', report: {}, ...given });
  }

  send(bytes: Buffer, from = this.socket): void {
    from.send(bytes, this.clientPort, '127.0.0.1');
  }
}

describe('what was forged', () => {
  test('changes nothing, and is counted', async () => {
    const server = await FakeServer.start();
    const { made, heard } = monitor({ mode: 'udp', activeMs: 200, silentAfter: 1_000 });
    made.add('a', urlOf(server.socket.address().port));
    await until(() => heard.length >= 3);
    const other = createSocket('udp4').bind(0, '127.0.0.1');
    await once(other, 'listening');
    closing.push(() => other.close());
    const [asked] = server.checks;
    const lameDuck = { state: 'lame-duck' } as const;
    const strangeToken = { ...lameDuck, token: randomBytes(16) };
    // A token that is not ours, as an answer and as a push.
    server.send(server.answer(asked!, strangeToken));
    server.send(server.answer(asked!, { ...strangeToken, kind: 'push' }));
    await until(() => made.strays === 2);
    // Numbers answered already, and never asked.
    server.send(server.answer(asked!, lameDuck));
    server.send(server.answer(asked!, { ...lameDuck, sequence: 0xdeadbeef }));
    await until(() => made.snapshot('a')!.dropped === 2);
    // From another port, with a number that is open.
    server.isAnswering = false;
    const { length } = server.checks;
    await until(() => server.checks.length > length);
    server.send(server.answer(server.checks.at(-1)!, lameDuck), other);
    server.send(server.answer(asked!, { ...lameDuck, kind: 'push', sequence: 1 }), other);
    await until(() => made.snapshot('a')!.dropped === 4);
    server.isAnswering = true;
    expect(server.acks).toEqual([]);
    expect(heard.every((each) => each === 'udp ready')).toBe(true);
    const before = heard.length;
    await until(() => heard.length > before);
    expect(made.snapshot('a')).toMatchObject({ via: 'udp', state: 'ready' });
  });

  test('in a flood does not keep the rest from being heard', async () => {
    const server = await FakeServer.start();
    const { made, heard } = monitor({ mode: 'udp', activeMs: 100, silentAfter: 1_000 });
    made.add('a', urlOf(server.socket.address().port));
    await until(() => heard.length >= 2);
    let sent = 0;
    while (sent < 10_000) {
      // As many as a socket's buffer holds, so that all of them come.
      const batch = made.strays + 100;
      for (; sent < batch; sent++) server.send(randomBytes(sent % 3 === 0 ? 64 : sent % 200));
      await until(() => made.strays >= batch);
    }
    expect(made.strays).toBe(10_000);
    expect(made.snapshot('a')).toMatchObject({ via: 'udp', state: 'ready', dropped: 0 });
    const before = heard.length;
    await until(() => heard.length > before);
    expect(new Set(heard)).toEqual(new Set(['udp ready']));
  });

  test('but each push is acknowledged every time, with what it brought, and told once', async () => {
    const server = await FakeServer.start();
    const { made, heard } = monitor({ mode: 'udp' });
    made.add('a', urlOf(server.socket.address().port));
    await until(() => server.checks.length >= 2);
    // The second check repeats the cookie.
    expect([...server.checks[0]!.cookie]).toEqual(Array(8).fill(0));
    expect([...server.checks[1]!.cookie]).toEqual(Array(8).fill(7));
    expect(server.checks.every(({ wantsPushes }) => wantsPushes)).toBe(true);
    const cookie = Buffer.alloc(8, 9);
    const push = server.answer(server.checks[0]!, { kind: 'push', cookie, sequence: 41, state: 'lame-duck' });
    server.send(push);
    server.send(push);
    await until(() => server.acks.length === 2);
    for (const ack of server.acks) {
      expect(ack.sequence).toBe(41);
      expect([...ack.cookie]).toEqual([...cookie]);
      expect([...ack.token]).toEqual([...server.checks[0]!.token]);
    }
    expect(heard.filter((each) => each === 'push lame-duck')).toHaveLength(1);
  });
});

test('nothing keeps a process alive, closed or not', async () => {
  const open = await start();
  const withoutUdp = await start({ health: { udp: false } });
  const program = fileURLToPath(new URL('health-process.mjs', import.meta.url));
  for (const [how, sockets] of [
    ['close', 0],
    ['leave', 2],
  ] as const) {
    const child = spawn(process.execPath, [program, how, String(open.port), String(withoutUdp.port)]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'close');
    expect({ how, code, output }).toEqual({ how, code: 0, output: `udp watch ${sockets}\n` });
  }
});
