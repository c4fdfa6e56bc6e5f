import { createRateRule, type RateRule, type RateStore } from '../../stores/rate-store.js';
import { sentError } from './channel.js';
import {
  type SentAnswer,
  type SentAsk,
  type SentAsks,
  type SentRequest,
  sendDecision,
  sendPlace,
  sendTaken,
} from './store-messages.js';

/**
 * Where workers without Redis count: the primary's own store. Each decision is made here, so limits are as exact with many
 * processes as with one, whatever the algorithm; what a worker that dies has taken stays taken.
 */
export class StoreDesk {
  readonly #store: RateStore;
  /** By names that have a digest of their options: the same in all workers. */
  readonly #rules = new Map<string, RateRule>();

  constructor(store: RateStore) {
    this.#store = store;
  }

  /** One answer for each. What is wrong with one of them does not keep the others from being decided. */
  async answer({ rules, asks }: SentAsks): Promise<SentAnswer[]> {
    for (const [name, options] of rules)
      if (!this.#rules.has(name)) this.#rules.set(name, createRateRule(name, options));
    const answers = asks.map((ask) => this.#answerOne(ask));
    return await Promise.all(answers.map((answer) => settled(answer)));
  }

  /** In the order in which they were asked: the store decides when it is called. */
  async #answerOne(ask: SentAsk): Promise<SentAnswer> {
    switch (ask[0]) {
      case 'take':
        return sendTaken(await this.#store.take(ask[1].map(this.#requestOf)));
      case 'peek':
        return ['peeked', (await this.#store.peek(ask[1].map(this.#requestOf))).map(sendDecision)];
      case 'schedule':
        return sendPlace(await this.#store.schedule(this.#requestOf(ask[1])));
      case 'settle':
        await this.#store.settle(
          ask[1].map(([rule, key, reserved, actual, takenAtMs]) => {
            return { rule: this.#ruleOf(rule), key, reserved, actual, takenAtMs };
          }),
        );
        return ['done'];
      case 'reset':
        await this.#store.reset(this.#ruleOf(ask[1]), ask[2]);
        return ['done'];
    }
  }

  readonly #requestOf = ([rule, key, cost, isShadow]: SentRequest) => {
    return { rule: this.#ruleOf(rule), key, cost, isShadow: isShadow === 1 };
  };

  #ruleOf(name: string): RateRule {
    const rule = this.#rules.get(name);
    if (rule === undefined) throw new Error(`no rule is called ${name}`);
    return rule;
  }
}

function settled(answer: Promise<SentAnswer>): Promise<SentAnswer> {
  return answer.catch((error: unknown): SentAnswer => {
    const { name, message } = sentError(error);
    return ['failed', name, message];
  });
}
