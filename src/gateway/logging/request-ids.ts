import { randomBytes } from 'node:crypto';

/** As long as those of any proxy that is known; a trace of AWS has 74. */
const MOST_LETTERS = 128;

/** Nothing that means something to a shell, a page or a terminal. */
const SANE = /^[\w.~+/=:@-]+$/;

/** By what requests are found in logs: a few random letters for each process, and a number. */
export class RequestIds {
  readonly #prefix: string;
  #count = 0;

  constructor(prefix = randomBytes(6).toString('hex')) {
    this.#prefix = `${prefix}-`;
  }

  next(): string {
    return this.#prefix + (this.#count++).toString(36);
  }
}

/** Whether what somebody sent as an id may stand in logs and headers. */
export function isSaneId(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MOST_LETTERS && SANE.test(text);
}
