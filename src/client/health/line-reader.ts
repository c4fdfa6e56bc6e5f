import { Buffer } from 'node:buffer';

const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines. No more than one line is kept, and none longer than `maxBytes`. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  #begun: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number, onLine: (line: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** False when a line is too long: nothing after it can be relied on. */
  read(chunk: Buffer): boolean {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      if (this.#begun.length + end - from > this.#maxBytes) return false;
      const line = Buffer.concat([this.#begun, chunk.subarray(from, end)]).toString();
      this.#begun = Buffer.alloc(0);
      from = end + 1;
      this.#onLine(line);
    }
    if (this.#begun.length + chunk.length - from > this.#maxBytes) return false;
    // Copied: a view would keep the whole chunk.
    if (from < chunk.length) this.#begun = Buffer.concat([this.#begun, chunk.subarray(from)]);
    return true;
  }
}
