import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';

export interface Http2Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly text: string;
}

/** A connection to a gateway by HTTP/2. */
export class Http2Client {
  readonly session: ClientHttp2Session;
  /** Codes and last streams of GOAWAYs that came. */
  readonly goAways: [number, number][] = [];

  constructor(port: number, options: { readonly tls?: boolean } = {}) {
    const scheme = options.tls === true ? 'https' : 'http';
    // Node's clients refuse themselves new streams while 10 MB of others wait to be sent.
    this.session = connect(`${scheme}://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
      maxSessionMemory: 100,
    });
    this.session.on('error', () => {});
    this.session.on('goaway', (code, last) => this.goAways.push([code, last]));
  }

  open(headers: OutgoingHttpHeaders, endStream = false): ClientHttp2Stream {
    const stream = this.session.request(headers, { endStream });
    stream.on('error', () => {});
    return stream;
  }

  async ask(path: string, headers: OutgoingHttpHeaders = {}, body?: string | Buffer): Promise<Http2Answer> {
    const stream = this.session.request({ ':path': path, ...headers }, { endStream: body === undefined });
    if (body !== undefined) stream.end(body);
    return answerOf(stream);
  }

  async close(): Promise<void> {
    if (this.session.destroyed) return;
    const closed = once(this.session, 'close');
    this.session.destroy();
    await closed;
  }
}

export function answerOf(stream: ClientHttp2Stream): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    let headers: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on('response', (given) => {
      headers = given;
    });
    stream.on('trailers', (given) => {
      trailers = given;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      const status = Number(headers[':status'] ?? 0);
      if (status === 0) reject(new Error(`no answer, code ${stream.rstCode}`));
      else resolve({ status, headers, trailers, text: Buffer.concat(chunks).toString() });
    });
  });
}

/** However it ends. */
export function closeOf(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => stream.on('error', () => {}).once('close', resolve));
}
