import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { decodeHealthLine } from '../../wire/index.js';
import type { PageResult } from './health-actions.js';
import { type HttpTarget, httpGet } from './http-get.js';

/** Ours have 200. */
const MOST_BYTES = 8_192;

/**
 * What an answer on the path of the health page says. One that makes no sense is the answer of a server without health
 * pages; unless something in between answers for a server that it cannot reach.
 */
export function readPage(status: number, body: string): PageResult {
  const health = status === 200 || status === 503 ? decodeHealthLine(body) : undefined;
  if (health !== undefined) return health;
  return status >= 500 || status === 429 || status === 408 ? 'failed' : 'none';
}

/** The same of a page that is asked for its status: ours tells more, and of any other the status is all there is. */
export function readStatus(status: number, body: string): PageResult {
  const result = readPage(status, body);
  return typeof result === 'string' ? { status } : result;
}

/** One question for the health page. */
export class HttpPage {
  readonly #onResult: (result: PageResult) => void;
  readonly #readAnswer: typeof readPage;
  readonly #open: { destroy(): void };
  #isClosed = false;

  /** `onResult` is called once, unless the question is closed before. */
  constructor(
    target: HttpTarget,
    path: string,
    readAnswer: typeof readPage,
    onResult: (result: PageResult) => void,
  ) {
    this.#onResult = onResult;
    this.#readAnswer = readAnswer;
    this.#open = httpGet(
      target,
      path,
      (response) => this.#read(response),
      () => this.#end('failed'),
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#open.destroy();
  }

  #read(response: IncomingMessage): void {
    const chunks: Buffer[] = [];
    const status = response.statusCode ?? 0;
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      // No page of ours, whatever is to come.
      if (length > MOST_BYTES) this.#end(this.#readAnswer(status, ''));
    });
    response.on('end', () => this.#end(this.#readAnswer(status, Buffer.concat(chunks).toString())));
    response.on('close', () => this.#end('failed'));
  }

  #end(result: PageResult): void {
    if (this.#isClosed) return;
    this.close();
    this.#onResult(result);
  }
}
