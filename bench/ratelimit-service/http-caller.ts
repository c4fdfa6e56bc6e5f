import type { Socket } from 'node:net';

const USERS = 1_000;
const REQUESTS = Array.from(
  { length: USERS },
  (_, i) => `GET / HTTP/1.1\r\nhost: bench\r\nx-user: u${i}\r\n\r\n`,
);
const END = '\r\n\r\nok';

/** One request at a time on a connection of HTTP/1.1, as clients have it. */
export class HttpCaller {
  answered = 0;
  readonly #socket: Socket;
  #rest = '';
  #next = Math.floor(Math.random() * USERS);

  constructor(socket: Socket, calls: number) {
    if (calls !== 1) throw new Error('a connection of HTTP/1.1 carries one request');
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('connect', () => this.#ask());
    socket.on('data', (text: string) => this.#onText(text));
    socket.on('error', () => {});
  }

  close(): void {
    this.#socket.destroy();
  }

  #ask(): void {
    this.#socket.write(REQUESTS[this.#next++ % USERS]!);
  }

  #onText(text: string): void {
    this.#rest += text;
    if (!this.#rest.endsWith(END)) return;
    if (!this.#rest.startsWith('HTTP/1.1 200'))
      throw new Error(`unexpected answer: ${this.#rest.slice(0, 80)}`);
    this.#rest = '';
    this.answered++;
    this.#ask();
  }
}
