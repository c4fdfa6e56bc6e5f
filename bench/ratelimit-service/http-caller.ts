import type { Socket } from 'node:net';

const USERS = 1_000;
const REQUESTS = Array.from({ length: USERS }, (_, i) =>
  Buffer.from(`GET / HTTP/1.1\r\nhost: bench\r\nx-user: u${i}\r\n\r\n`),
);
const BEGIN = Buffer.from('HTTP/1.1 200');
const END = Buffer.from('\r\n\r\nok');
const NOTHING = Buffer.alloc(0);

/** One request at a time on a connection of HTTP/1.1, as clients have it. */
export class HttpCaller {
  answered = 0;
  readonly #socket: Socket;
  #rest: Buffer = NOTHING;
  #next = Math.floor(Math.random() * USERS);

  constructor(socket: Socket, calls: number) {
    if (calls !== 1) throw new Error('a connection of HTTP/1.1 carries one request');
    this.#socket = socket;
    socket.on('connect', () => this.#ask());
    socket.on('data', (bytes) => this.#onBytes(bytes));
    socket.on('error', () => {});
  }

  close(): void {
    this.#socket.destroy();
  }

  #ask(): void {
    this.#socket.write(REQUESTS[this.#next++ % USERS]!);
  }

  #onBytes(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const { length } = all;
    if (length < END.length || all.compare(END, 0, END.length, length - END.length) !== 0) {
      this.#rest = all;
      return;
    }
    if (all.compare(BEGIN, 0, BEGIN.length, 0, BEGIN.length) !== 0)
      throw new Error(`unexpected answer: ${all.subarray(0, 80)}`);
    this.#rest = NOTHING;
    this.answered++;
    this.#ask();
  }
}
