import type { RateDecision } from '../../core/index.js';
import type { TakeAnswer } from '../rate-store.js';
import type { RuleCode } from './rule-code.js';
import { ScriptReply } from './script-reply.js';

/** What one rule is asked about one request, under its key in Redis. */
export interface TakeEntry {
  readonly rule: RuleCode;
  readonly key: string;
  readonly cost: number;
  readonly isShadow: boolean;
}

interface Waiting {
  readonly entries: readonly TakeEntry[];
  readonly first: number;
  readonly resolve: (answer: TakeAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests that are decided by one call of a script, each by itself; take.lua says how they are written. */
export class TakeBatch {
  readonly keys: string[] = [];
  readonly #rules = new Map<RuleCode, number>();
  readonly #waiting: Waiting[] = [];
  #entries = '';

  /** All of them take or none does. */
  add(entries: readonly TakeEntry[]): Promise<TakeAnswer> {
    const first = this.keys.length;
    for (let i = 0; i < entries.length; i++) {
      const { rule, key, cost, isShadow } = entries[i]!;
      const isLast = i === entries.length - 1;
      const code = 4 * this.#indexOf(rule) + (isShadow ? 2 : 0) + (isLast ? 1 : 0);
      this.#entries += this.#entries === '' ? `${code},${cost}` : `,${code},${cost}`;
      this.keys.push(key);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entries, first, resolve, reject });
    });
  }

  /** For the script. 0: it is to look at the clock. */
  encode(nowMs: number): string {
    const rules = Array.from(this.#rules.keys(), ({ code }) => code);
    return `[${nowMs},[${rules.join()}],[${this.#entries}]]`;
  }

  answer(reply: unknown): void {
    try {
      const read = new ScriptReply(reply, this.keys.length);
      for (const waiting of this.#waiting) answerOne(waiting, read);
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    for (const { reject } of this.#waiting) reject(error);
  }

  #indexOf(rule: RuleCode): number {
    let index = this.#rules.get(rule);
    if (index === undefined) {
      index = this.#rules.size;
      this.#rules.set(rule, index);
    }
    return index;
  }
}

function answerOne({ entries, first, resolve, reject }: Waiting, reply: ScriptReply): void {
  try {
    const decisions: RateDecision[] = [];
    let allowed = true;
    for (let i = 0; i < entries.length; i++) {
      const { rule, isShadow } = entries[i]!;
      const decision = reply.decision(first + i, rule);
      decisions.push(decision);
      allowed &&= isShadow || decision.allowed;
    }
    resolve({ allowed, decisions, takenAtMs: reply.takenAtMs });
  } catch (error) {
    // Of this request only: the others were decided.
    reject(error);
  }
}
