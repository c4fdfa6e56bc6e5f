import { checkInteger, withDefaults } from '../../core/check.js';
import type { RateDecision } from '../../core/index.js';
import type {
  RateRequest,
  RateRule,
  RateStore,
  ScheduleAnswer,
  Settlement,
  TakeAnswer,
} from '../../stores/rate-store.js';
import { checkSame } from '../../stores/rule-checks.js';
import { errorOf } from './channel.js';
import {
  decisionOf,
  placeOf,
  type SentAnswer,
  type SentAsk,
  type SentAsks,
  sendRequest,
  sendSettlement,
} from './store-messages.js';

export interface PrimaryStoreOptions {
  /** Questions that wait for their answer; more are refused at once, as by a store that fails. */
  readonly maxWaiting: number;
  /** When all that is asked in one turn of the event loop is sent. */
  readonly atEndOfTurn: (send: () => void) => unknown;
}

export const PRIMARY_STORE_DEFAULTS: PrimaryStoreOptions = Object.freeze({
  // As many requests as the gateway serves at once by default, and a few MB on the way.
  maxWaiting: 10_000,
  atEndOfTurn: setImmediate as (send: () => void) => unknown,
});

/**
 * How long a decision of the primary is waited for. It takes 50 µs. Another process of the same machine that has not answered
 * for a second is not far away: it stands still, or the whole machine does, and whoever lets requests through by then
 * has waited long enough to know.
 */
export const PRIMARY_TIMEOUT_MS = 1_000;

/** Sends what was asked, and resolves with as many answers; rejects when the primary is gone or late. */
export type AskPrimary = (asks: SentAsks, timeoutMs: number) => Promise<readonly SentAnswer[]>;

interface Waiting {
  readonly ask: SentAsk;
  readonly resolve: (answer: SentAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A worker's store: the primary's. What is asked in one turn of the event loop is sent together: alone a decision costs
 * 14 µs here and as much there, among sixteen 1.5.
 */
export class PrimaryStore implements RateStore {
  readonly #ask: AskPrimary;
  readonly #options: PrimaryStoreOptions;
  readonly #known = new Map<string, RateRule>();
  #rules: [string, RateRule['options']][] = [];
  #batch: Waiting[] = [];
  #waiting = 0;
  #isClosed = false;

  constructor(ask: AskPrimary, given?: Partial<PrimaryStoreOptions>) {
    this.#ask = ask;
    this.#options = withDefaults('primaryStore', PRIMARY_STORE_DEFAULTS, given);
    checkInteger('maxWaiting', this.#options.maxWaiting, 1);
  }

  async take(requests: readonly RateRequest[]): Promise<TakeAnswer> {
    const answer = await this.#send(['take', this.#sent(requests)]);
    if (answer[0] !== 'taken') throw unexpected();
    const [, allowed, takenAtMs, decisions] = answer;
    return { allowed: allowed === 1, takenAtMs, decisions: decisions.map(decisionOf) };
  }

  async peek(requests: readonly RateRequest[]): Promise<readonly RateDecision[]> {
    const answer = await this.#send(['peek', this.#sent(requests)]);
    if (answer[0] !== 'peeked') throw unexpected();
    return answer[1].map(decisionOf);
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    for (const { rule } of settlements) this.#introduce(rule);
    await this.#send(['settle', settlements.map(sendSettlement)]);
  }

  async schedule(request: RateRequest): Promise<ScheduleAnswer> {
    this.#introduce(request.rule);
    const answer = await this.#send(['schedule', sendRequest(request)]);
    if (answer[0] !== 'place') throw unexpected();
    return placeOf(answer[1], answer[2], answer[3]);
  }

  async reset(rule: RateRule, key: string): Promise<void> {
    this.#introduce(rule);
    await this.#send(['reset', rule.name, key]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #sent(requests: readonly RateRequest[]) {
    return requests.map((request) => {
      this.#introduce(request.rule);
      return sendRequest(request);
    });
  }

  /** What a rule is travels once, by its name afterwards. */
  #introduce(rule: RateRule): void {
    const { name, options } = rule;
    const known = this.#known.get(name);
    if (known === undefined) {
      this.#known.set(name, rule);
      this.#rules.push([name, options]);
    } else checkSame(known, rule);
  }

  #send(ask: SentAsk): Promise<SentAnswer> {
    if (this.#isClosed) return Promise.reject(new Error('the store is closed'));
    const { maxWaiting, atEndOfTurn } = this.#options;
    if (this.#waiting >= maxWaiting) return Promise.reject(new Error('the primary is asked too much'));
    this.#waiting++;
    return new Promise((resolve, reject) => {
      if (this.#batch.push({ ask, resolve, reject }) === 1) atEndOfTurn(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    const rules = this.#rules;
    this.#batch = [];
    this.#rules = [];
    try {
      const answers = await this.#ask({ rules, asks: batch.map(({ ask }) => ask) }, PRIMARY_TIMEOUT_MS);
      for (const [i, { resolve, reject }] of batch.entries()) {
        const answer = answers[i] ?? ['failed', 'Error', 'no answer'];
        if (answer[0] === 'failed') reject(errorOf({ name: answer[1], message: answer[2] }));
        else resolve(answer);
      }
    } catch (error) {
      // Whether it has heard of these rules is not known: they are told again.
      for (const [name] of rules) this.#known.delete(name);
      for (const { reject } of batch) reject(error as Error);
    } finally {
      this.#waiting -= batch.length;
    }
  }
}

function unexpected(): Error {
  return new Error('the primary answered something else');
}
