import { maxHeaderSize } from 'node:http';
import { errors } from 'undici';
import { badAnswer } from './bad-answer.js';
import { isBeginning, ResponseHead } from './response-head.js';

/** Nearly every head is shorter, and what follows it is not to be made into text. */
const USUAL_BYTES = 2_048;

const END = '\r\n\r\n';

/** The head of an answer, as it comes, in whatever pieces. */
export class HeadReader {
  /** Of one that has not come whole. */
  #text = '';
  /** The one that was read last. */
  head: ResponseHead | undefined = undefined;

  /** Something of it has come. */
  get isBegun(): boolean {
    return this.#text !== '';
  }

  /** Reads up to the end of the head, if that has come. Where to go on. Throws when it is none. */
  read(bytes: Buffer, at: number, end: number): number {
    const before = this.#text.length;
    const stop = Math.min(end, at + (before === 0 ? USUAL_BYTES : maxHeaderSize));
    this.#text += bytes.toString('latin1', at, stop);
    const found = this.#text.indexOf(END, Math.max(0, before - END.length + 1));
    this.head = undefined;
    // Also when its end has come: how long it may be does not depend on the pieces that it comes in.
    const known = found < 0 ? this.#text.length + 1 : found + END.length;
    if (known > maxHeaderSize) throw new errors.HeadersOverflowError();
    if (found < 0) {
      if (!isBeginning(this.#text)) throw badAnswer('no head', 'INVALID_CONSTANT');
      return stop;
    }
    this.head = new ResponseHead(this.#text.slice(0, found + 2));
    this.#text = '';
    return at + found + END.length - before;
  }

  /** Nobody waits for the rest. */
  forget(): void {
    this.#text = '';
    this.head = undefined;
  }
}
