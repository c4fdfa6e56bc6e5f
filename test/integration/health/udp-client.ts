import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  type ClientDatagram,
  decodeServerDatagram,
  encodeDatagram,
  type ServerDatagram,
} from '../../../src/wire/index.js';

/** A client of UDP health as simple as can be: it sends what it is told to, and keeps what comes. */
export class UdpClient {
  readonly token = randomBytes(16);
  cookie: Uint8Array = Buffer.alloc(8);
  readonly received: Buffer[] = [];
  readonly #socket = createSocket('udp4');
  readonly #port: number;
  readonly #address: string;
  #sequence = 0;

  constructor(port: number, address = '127.0.0.1') {
    this.#port = port;
    this.#address = address;
    this.#socket.on('message', (bytes) => this.received.push(bytes));
  }

  send(bytes: Buffer): void {
    this.#socket.send(bytes, this.#port, this.#address);
  }

  sendDatagram(given: Partial<ClientDatagram>): void {
    const { token, cookie } = this;
    this.send(encodeDatagram({ kind: 'check', token, cookie, sequence: 0, wantsPushes: true, ...given }));
  }

  /** What comes next, and fulfils the condition. */
  async next(isIt: (datagram: ServerDatagram) => boolean = () => true): Promise<ServerDatagram> {
    for (;;) {
      const [bytes] = (await once(this.#socket, 'message')) as [Buffer];
      const datagram = decodeServerDatagram(bytes);
      if (datagram !== undefined && isIt(datagram)) return datagram;
    }
  }

  /** Asks, and keeps the cookie that comes with the answer. Nothing is lost on the way to oneself. */
  async ask(given: Partial<ClientDatagram> = {}): Promise<ServerDatagram> {
    const sequence = ++this.#sequence;
    const answer = this.next((datagram) => datagram.kind === 'answer' && datagram.sequence === sequence);
    this.sendDatagram({ sequence, ...given });
    const datagram = await answer;
    this.cookie = datagram.cookie;
    return datagram;
  }

  /** Proves its address, and is told of changes from then on. */
  async register(): Promise<void> {
    await this.ask();
    await this.ask();
  }

  acknowledge(push: ServerDatagram): void {
    this.sendDatagram({ kind: 'ack', sequence: push.sequence });
  }

  close(): void {
    this.#socket.close();
  }
}
