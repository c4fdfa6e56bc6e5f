import { checkInteger, withDefaults } from '../check.js';

/** How many answers of one kind, in a row, change what is thought of a backend. */
export interface PageVerdictOptions {
  /** So many bad answers in a row, and it is not well. */
  readonly unhealthyAfter: number;
  /** So many good ones in a row, and it is well again. */
  readonly healthyAfter: number;
}

export const PAGE_VERDICT_DEFAULTS: PageVerdictOptions = Object.freeze({
  // HAProxy's "fall" and "rise": one lost packet or one long pause is no illness, and one good answer no recovery.
  unhealthyAfter: 3,
  healthyAfter: 2,
});

/**
 * What its page of health says of a backend. `unwell` is its own word, as a lame duck's is. `doubtful` may be a fault of the
 * question: a page that is not there, or one that nobody answered.
 */
export type PageVerdict = 'well' | 'unwell' | 'doubtful';

/** One answer by itself: its status says it, whatever the page looks like. Undefined: there was none. */
export function verdictOf(status: number | undefined): PageVerdict {
  if (status === undefined) return 'doubtful';
  if (status >= 200 && status < 300) return 'well';
  return status >= 500 ? 'unwell' : 'doubtful';
}

/** Judges one backend by the answers of its page: not by a single one, unless nothing is known yet. */
export class PageJudge {
  readonly #options: PageVerdictOptions;
  #verdict: PageVerdict | undefined = undefined;
  #good = 0;
  #bad = 0;
  /** Its own word was among the bad ones. */
  #hasSaidSo = false;

  constructor(options?: Partial<PageVerdictOptions>) {
    this.#options = withDefaults('pageVerdict', PAGE_VERDICT_DEFAULTS, options);
    checkInteger('unhealthyAfter', this.#options.unhealthyAfter, 1);
    checkInteger('healthyAfter', this.#options.healthyAfter, 1);
  }

  /** Undefined until it is known. */
  get verdict(): PageVerdict | undefined {
    return this.#verdict;
  }

  /** The last answer spoke against the verdict: the next one should not be waited for. */
  get isInDoubt(): boolean {
    if (this.#verdict === undefined) return true;
    return this.#isBad ? this.#good > 0 : this.#bad > 0;
  }

  /** The verdict, when this changes it. */
  learn(answer: PageVerdict): PageVerdict | undefined {
    const before = this.#verdict;
    if (answer === 'well') this.#onGood();
    else this.#onBad(answer === 'unwell');
    return this.#verdict === before ? undefined : this.#verdict;
  }

  #onGood(): void {
    this.#bad = 0;
    this.#good++;
    if (this.#isBad && this.#good < this.#options.healthyAfter) return;
    this.#verdict = 'well';
    this.#hasSaidSo = false;
  }

  #onBad(isItsWord: boolean): void {
    this.#good = 0;
    this.#bad++;
    this.#hasSaidSo ||= isItsWord;
    // Who begins with "no" is starting: there is no better past that it could be a hiccup of.
    const isFirstWord = this.#verdict === undefined && isItsWord;
    if (!this.#isBad && !isFirstWord && this.#bad < this.#options.unhealthyAfter) return;
    // Its word holds until it is well: that it falls silent then is no reason to send to it.
    this.#verdict = this.#hasSaidSo ? 'unwell' : 'doubtful';
  }

  get #isBad(): boolean {
    return this.#verdict === 'unwell' || this.#verdict === 'doubtful';
  }
}
