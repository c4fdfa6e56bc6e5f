/** Half a second of a busy gateway: 4,000 lines of 250 bytes. A reader that stands still for longer is in trouble. */
const MOST_BYTES = 1_048_576;

/** As many lines as are gone before the rest moves up. */
const MOST_GONE = 1_024;

/**
 * Lines that wait to be written, within a bound: what comes beyond it is dropped and counted, and the next line that finds
 * room says how many were.
 */
export class LineQueue {
  readonly #mostBytes: number;
  readonly #lines: string[] = [];
  #first = 0;
  #bytes = 0;
  #dropped = 0;
  /** Dropped, and not told of yet. */
  #untold = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#first === this.#lines.length;
  }

  /** Since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** A line of JSON with its end. False: there is no room for it. */
  push(line: string): boolean {
    const told = this.#untold === 0 ? line : withDropped(line, this.#untold);
    const bytes = Buffer.byteLength(told);
    if (this.#bytes + bytes > this.#mostBytes) {
      this.#dropped++;
      this.#untold++;
      return false;
    }
    this.#untold = 0;
    this.#lines.push(told);
    this.#bytes += bytes;
    return true;
  }

  /** Whole lines, in their order, of so many bytes at the most; but one at least, while there are any. */
  take(mostBytes: number): Buffer | undefined {
    if (this.isEmpty) return undefined;
    let text = this.#shift();
    let bytes = Buffer.byteLength(text);
    while (!this.isEmpty) {
      const more = Buffer.byteLength(this.#lines[this.#first]!);
      if (bytes + more > mostBytes) break;
      text += this.#shift();
      bytes += more;
    }
    this.#bytes -= bytes;
    return Buffer.from(text);
  }

  /** Nobody will ever write them. */
  dropAll(): void {
    const count = this.#lines.length - this.#first;
    this.#dropped += count;
    this.#untold += count;
    this.#lines.length = 0;
    this.#first = 0;
    this.#bytes = 0;
  }

  #shift(): string {
    const line = this.#lines[this.#first]!;
    this.#lines[this.#first++] = '';
    if (this.#first === this.#lines.length || this.#first > MOST_GONE) {
      this.#lines.splice(0, this.#first);
      this.#first = 0;
    }
    return line;
  }
}

function withDropped(line: string, dropped: number): string {
  return `${line.slice(0, line.lastIndexOf('}'))},"dropped":${dropped}}\n`;
}
