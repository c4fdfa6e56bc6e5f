import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A client that sends bytes as they are and takes answers apart one by one. */
export class RawClient {
  readonly socket: Socket;
  #received = '';
  #isClosed = false;
  #changed: () => void = () => {};

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setNoDelay();
    this.socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1');
      this.#changed();
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.#isClosed = true;
      this.#changed();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  get(path = '/', ...headers: string[]): void {
    this.send(`GET ${path} HTTP/1.1\r\n${['host: test', ...headers].join('\r\n')}\r\n\r\n`);
  }

  /** The next answer; throws when the connection ends without one. */
  async answer(isHead = false): Promise<RawAnswer> {
    for (;;) {
      const parsed = parse(this.#received, isHead, this.#isClosed);
      if (parsed !== undefined) {
        this.#received = this.#received.slice(parsed.length);
        return parsed.answer;
      }
      if (this.#isClosed) throw new Error(`closed after ${JSON.stringify(this.#received)}`);
      await this.#change();
    }
  }

  async closed(): Promise<void> {
    while (!this.#isClosed) await this.#change();
  }

  close(): void {
    this.socket.destroy();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }
}

function parse(
  text: string,
  isHead: boolean,
  isClosed: boolean,
): { answer: RawAnswer; length: number } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(first.split(' ')[1]);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const from = end + 4;
  const answer = (length: number, body: string) => ({ answer: { status, headers, body }, length });
  if (isHead || status === 100 || status === 204 || status === 304) return answer(from, '');
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (length !== undefined) {
    const to = from + Number(length);
    return text.length < to ? undefined : answer(to, text.slice(from, to));
  }
  if (encoding === 'chunked') return parseChunked(text, from, answer);
  return isClosed ? answer(text.length, text.slice(from)) : undefined;
}

function parseChunked<T>(
  text: string,
  from: number,
  answer: (length: number, body: string) => T,
): T | undefined {
  let body = '';
  for (let at = from; ; ) {
    const line = text.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(text.slice(at, line), 16);
    const to = line + 2 + size + 2;
    if (text.length < to) return undefined;
    body += text.slice(line + 2, to - 2);
    at = to;
    if (size === 0) return answer(at, body);
  }
}
