const NO_ANSWER_BEGUN = -1;

/**
 * Reads the answers of one connection, of which at most one is under way: the status and where it ends, nothing else.
 * Servers under test say how long a body is; one that does not would need a real parser, and is refused.
 */
export class AnswerReader {
  /** Of the answer that is complete. */
  status = 0;
  #head = '';
  #bytesLeft = NO_ANSWER_BEGUN;

  /** Takes in a chunk and says whether the answer is complete. */
  read(chunk: Buffer, length: number): boolean {
    const left =
      this.#bytesLeft === NO_ANSWER_BEGUN
        ? this.#readHead(this.#head + chunk.toString('latin1', 0, length))
        : this.#bytesLeft - length;
    if (left === undefined) return false;
    if (left < 0) throw new Error('more was answered than was asked for');
    this.#bytesLeft = left === 0 ? NO_ANSWER_BEGUN : left;
    return left === 0;
  }

  /** How much of the body is still to come; undefined while the head is not complete. */
  #readHead(text: string): number | undefined {
    const end = text.indexOf('\r\n\r\n');
    this.#head = end < 0 ? text : '';
    if (end < 0) return undefined;
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (length === undefined) throw new Error(`an answer without content-length: ${text.slice(0, end)}`);
    this.status = Number(text.slice(9, 12));
    return Number(length) - (text.length - end - 4);
  }
}
