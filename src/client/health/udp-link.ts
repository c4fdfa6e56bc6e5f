import { Buffer } from 'node:buffer';
import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import { elapsedMs } from '../../core/index.js';
import { type ClientDatagram, DATAGRAM_BYTES, encodeDatagram } from '../../wire/index.js';

/** Where a backend is asked by UDP. */
export interface UdpAddress {
  readonly address: string;
  readonly family: 4 | 6;
  readonly port: number;
}

type OnDatagram = (bytes: Buffer, address: string, port: number) => void;

/** A socket that failed is not opened again before. */
const REOPEN_MS = 1_000;

/** What the kernel does not take at once waits in this process; more than this is lost, as datagrams may be. */
const MOST_QUEUED = 256;

/** Only addresses come here, which need no looking up: binding and sending are then done at once. */
function noLookup(address: string, _: unknown, done: (error: null, address: string, family: number) => void) {
  done(null, address, isIP(address));
}

/**
 * The sockets of all checks by UDP, one for each family, opened when first needed. They are connected to nobody: one
 * socket serves thousands of backends, and whoever does not answer is silent. They never keep a process alive.
 */
export class UdpLink {
  readonly #ends: Readonly<Record<4 | 6, UdpEnd>>;

  constructor(onDatagram: OnDatagram) {
    this.#ends = { 4: new UdpEnd('udp4', onDatagram), 6: new UdpEnd('udp6', onDatagram) };
  }

  send(datagram: ClientDatagram, to: UdpAddress, now: number): void {
    this.#ends[to.family].send(datagram, to, now);
  }

  close(): void {
    this.#ends[4].close();
    this.#ends[6].close();
  }
}

class UdpEnd {
  readonly #type: 'udp4' | 'udp6';
  readonly #onDatagram: OnDatagram;
  readonly #bytes = Buffer.alloc(DATAGRAM_BYTES);
  #socket: Socket | undefined;
  #openedMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(type: 'udp4' | 'udp6', onDatagram: OnDatagram) {
    this.#type = type;
    this.#onDatagram = onDatagram;
  }

  send(datagram: ClientDatagram, { address, port }: UdpAddress, now: number): void {
    this.#socket ??= this.#open(now);
    const queued = this.#socket?.getSendQueueCount() ?? 0;
    if (queued >= MOST_QUEUED) return;
    // The kernel has copied what it took; what waits in the queue is still ours, and must not be written over.
    const bytes = encodeDatagram(datagram, queued === 0 ? this.#bytes : undefined);
    // Nobody waits to hear of it: a send that fails is a datagram lost.
    this.#socket?.send(bytes, port, address);
  }

  close(): void {
    this.#isClosed = true;
    this.#drop(this.#socket);
  }

  #open(now: number): Socket | undefined {
    if (this.#isClosed || elapsedMs(this.#openedMs, now) < REOPEN_MS) return undefined;
    this.#openedMs = now;
    const socket = createSocket({ type: this.#type, ipv6Only: this.#type === 'udp6', lookup: noLookup });
    let hasFailed = false;
    socket.on('error', () => {
      hasFailed = true;
      this.#drop(socket);
    });
    socket.on('message', (bytes, from) => this.#onDatagram(bytes, from.address, from.port));
    // Exclusive: in a worker of node:cluster it would otherwise be the primary's, shared with all others.
    socket.bind({ port: 0, address: this.#type === 'udp6' ? '::' : '0.0.0.0', exclusive: true });
    socket.unref();
    return hasFailed ? undefined : socket;
  }

  #drop(socket: Socket | undefined): void {
    if (socket === undefined) return;
    if (this.#socket === socket) this.#socket = undefined;
    socket.removeAllListeners('message');
    try {
      socket.close();
    } catch {
      // It was closed already.
    }
  }
}
