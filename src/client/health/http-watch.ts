import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { decodeHealthLine, type Health } from '../../wire/index.js';
import type { WatchEnd } from './health-actions.js';
import { type HttpTarget, httpGet } from './http-get.js';
import { LineReader } from './line-reader.js';

/** Ours have 200. */
const MOST_LINE_BYTES = 8_192;

export interface WatchListener {
  onLine(health: Health): void;
  /** A line that no backend of ours can have written. */
  onGarbage(): void;
  /** Once, unless the stream is closed before. */
  onEnd(end: WatchEnd): void;
}

/** One stream of lines. It does not come again by itself. */
export class HttpWatch {
  readonly #listener: WatchListener;
  readonly #open: { destroy(): void };
  #isClosed = false;

  constructor(target: HttpTarget, path: string, listener: WatchListener) {
    this.#listener = listener;
    this.#open = httpGet(
      target,
      path,
      (response) => this.#read(response),
      () => this.#end('broken'),
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#open.destroy();
  }

  #read(response: IncomingMessage): void {
    const type = response.headers['content-type'] ?? '';
    if (response.statusCode !== 200 || !type.startsWith('application/x-ndjson')) {
      this.#end('refused');
      return;
    }
    const lines = new LineReader(MOST_LINE_BYTES, (line) => this.#onLine(line));
    response.on('data', (chunk: Buffer) => {
      if (!this.#isClosed && !lines.read(chunk)) this.#end('broken');
    });
    response.on('close', () => this.#end('broken'));
  }

  #onLine(line: string): void {
    // Closed by who heard the line before, in the same chunk.
    if (this.#isClosed) return;
    const health = decodeHealthLine(line);
    if (health === undefined) this.#listener.onGarbage();
    else this.#listener.onLine(health);
  }

  #end(end: WatchEnd): void {
    if (this.#isClosed) return;
    this.close();
    this.#listener.onEnd(end);
  }
}
