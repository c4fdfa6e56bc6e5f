const NEWLINE = 0x0a;

/**
 * Lines out of chunks of bytes. It splits bytes and decodes whole lines, so a letter that two chunks share stays whole.
 * A line that grows too long is left out to its end and counted: what comes after it is read again.
 */
export class LineSplitter {
  readonly #mostBytes: number;
  #pieces: Uint8Array[] = [];
  #length = 0;
  #tooLong = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Lines that were left out. */
  get tooLong(): number {
    return this.#tooLong;
  }

  /** The lines that this chunk completes. Empty ones are none. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, end));
      const line = this.#take();
      if (line !== undefined && line.trim() !== '') lines.push(line);
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
    return lines;
  }

  #add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    // Its bytes are let go, its length is remembered until it ends.
    if (this.#length > this.#mostBytes) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  #take(): string | undefined {
    const isTooLong = this.#length > this.#mostBytes;
    const line = isTooLong ? undefined : Buffer.concat(this.#pieces).toString('utf8');
    if (isTooLong) this.#tooLong++;
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
