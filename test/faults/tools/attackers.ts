import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What attackers did and saw. */
export interface Attacked {
  /** Connections that were opened. */
  opened: number;
  /** The longest that one of them lived, when the server ended it. */
  longestMs: number;
  readonly statuses: Record<string, number>;
}

/** Keeps some connections in use for an attack, and opens another for each that the server ends. */
export class Attackers {
  readonly seen: Attacked = { opened: 0, longestMs: 0, statuses: {} };
  readonly #port: number;
  readonly #act: (socket: Socket, isOver: () => boolean) => Promise<unknown>;
  readonly #sockets = new Set<Socket>();
  readonly #loops: Promise<void>[];
  #isOver = false;

  constructor(
    port: number,
    count: number,
    act: (socket: Socket, isOver: () => boolean) => Promise<unknown>,
    socketOptions: { readonly allowHalfOpen?: boolean } = {},
  ) {
    this.#port = port;
    this.#act = act;
    this.#loops = Array.from({ length: count }, (_, at) => this.#attack(at, socketOptions));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#loops);
  }

  async #attack(at: number, socketOptions: object): Promise<void> {
    // Not all in one instant: what is beyond the kernel's backlog would wait for a second.
    await sleep(at % 500);
    while (!this.#isOver) {
      const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true, ...socketOptions });
      const isGone = () => this.#isOver || socket.destroyed;
      this.#sockets.add(socket);
      this.seen.opened++;
      // From when it is open: what waits in the kernel's backlog is nobody's connection yet.
      let openedMs = performance.now();
      socket.once('connect', () => {
        openedMs = performance.now();
      });
      socket.on('error', () => {});
      socket.on('data', (bytes) => this.#note(bytes));
      const closed = once(socket, 'close').catch(() => {});
      await Promise.race([this.#act(socket, isGone), closed]);
      if (!this.#isOver && socket.destroyed)
        this.seen.longestMs = Math.max(this.seen.longestMs, performance.now() - openedMs);
      socket.destroy();
      this.#sockets.delete(socket);
      await sleep(1);
    }
  }

  #note(bytes: Buffer): void {
    for (const [, status] of bytes.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g))
      this.seen.statuses[status!] = (this.seen.statuses[status!] ?? 0) + 1;
  }
}

/** Until somebody ends the connection. */
async function forEver(isOver: () => boolean): Promise<void> {
  while (!isOver()) await sleep(100);
}

export function slowly(begin: string, drop: string) {
  return async (socket: Socket, isOver: () => boolean): Promise<void> => {
    socket.write(begin);
    for (let at = 0; !isOver(); at++) {
      socket.write(drop[at % drop.length]!);
      await sleep(200);
    }
  };
}

/** Asks for what is large, and takes none of it. */
export async function readNothing(socket: Socket, isOver: () => boolean): Promise<void> {
  socket.pause();
  socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
  await forEver(isOver);
}

export async function sayNothing(socket: Socket, isOver: () => boolean): Promise<void> {
  void socket;
  await forEver(isOver);
}

/** A part of a request, and no more will come; the other half of the connection stays open. */
export async function halfClose(socket: Socket, isOver: () => boolean): Promise<void> {
  socket.end('GET / HTTP/1.1\r\nhost: x\r\n');
  await forEver(isOver);
}

const MANY_HEADERS = `GET / HTTP/1.1\r\nhost: x\r\n${Array.from({ length: 3_000 }, (_, i) => `x-${i}: y`).join('\r\n')}\r\n\r\n`;

export async function floodHeaders(socket: Socket, isOver: () => boolean): Promise<void> {
  socket.write(MANY_HEADERS);
  await forEver(isOver);
}

const GARBAGE: readonly (() => Buffer)[] = [
  () => Buffer.concat([randomBytes(4_000), Buffer.from('\r\n\r\n')]),
  // The hello of TLS, the preface of HTTP/2, an answer, a chunk that is none, two lengths, no host.
  () => Buffer.from('16030100a5010000a10303', 'hex'),
  () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  () => Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  () => Buffer.from('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
  () => Buffer.from('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
  () => Buffer.from('GET / HTTP/1.1\r\n\r\n'),
  () => Buffer.concat([Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'), Buffer.alloc(99, 7)]),
];

/** A server ends such a connection; some of it might be the beginning of something, and is left after a while. */
export async function sendGarbage(socket: Socket, isOver: () => boolean): Promise<void> {
  socket.write(GARBAGE[Math.floor(Math.random() * GARBAGE.length)]!());
  for (let waited = 0; waited < 10 && !isOver(); waited++) await sleep(50);
}

/** Asks for something that takes its time, and is gone before it is there. */
export async function abort(socket: Socket): Promise<void> {
  const path = `/slow/${20 + Math.floor(Math.random() * 40)}`;
  const body = 'POST /slow/30 HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\nhalf';
  socket.write(Math.random() < 0.5 ? `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n` : body);
  await sleep(Math.random() * 15);
  socket.resetAndDestroy();
}

/** Values of our own headers that make no sense. */
const NONSENSE: readonly string[] = [
  'x-request-criticality: VERY',
  `x-request-criticality: ${'CRITICAL_PLUS,'.repeat(200)}`,
  'x-request-criticality: ',
  'x-envoy-expected-rq-timeout-ms: -5',
  'x-envoy-expected-rq-timeout-ms: 1e309',
  'x-envoy-expected-rq-timeout-ms: 99999999999999999999',
  'x-envoy-expected-rq-timeout-ms: soon',
  'x-envoy-attempt-count: 0',
  'x-envoy-attempt-count: -1',
  'x-envoy-attempt-count: 4294967296',
  'x-envoy-attempt-count: NaN',
  'x-plimsoll-customer: %zz%00%',
  `x-plimsoll-customer: ${'%41'.repeat(2_000)}`,
  `baggage: criticality=${';'.repeat(500)}`,
  `baggage: ${'a=b,'.repeat(1_000)}criticality=SHEDDABLE_MINUS`,
  'traceparent: 00-zz-zz-zz',
];

export async function sendNonsense(socket: Socket, isOver: () => boolean): Promise<void> {
  for (let at = Math.floor(Math.random() * NONSENSE.length); !isOver(); at++) {
    const lines = [NONSENSE[at % NONSENSE.length]!, NONSENSE[(at * 7) % NONSENSE.length]!];
    socket.write(`GET / HTTP/1.1\r\nhost: x\r\n${lines.join('\r\n')}\r\n\r\n`);
    await sleep(10);
  }
}

const SHEDDABLE = 'GET / HTTP/1.1\r\nhost: x\r\nx-request-criticality: SHEDDABLE\r\n\r\n';

export async function pipeline(socket: Socket, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    socket.write(SHEDDABLE.repeat(50));
    await sleep(100);
  }
}
