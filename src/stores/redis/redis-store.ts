import { checkInteger, checkNonNegative } from '../../core/check.js';
import type { LeaseGrant, RateDecision } from '../../core/index.js';
import type { LeaseRequest, LeaseStore } from '../lease-store.js';
import type {
  RateRequest,
  RateRule,
  RateStore,
  ScheduleAnswer,
  Settlement,
  TakeAnswer,
} from '../rate-store.js';
import { checkOnce, checkSame } from '../rule-checks.js';
import { keyName } from './key-names.js';
import { loadRateScripts, type RateScripts } from './rate-scripts.js';
import { RedisLeases } from './redis-leases.js';
import type { RedisLink } from './redis-link.js';
import type { RedisScript } from './redis-script.js';
import { leaseCode, queueCode, type RuleCode, ruleCode } from './rule-code.js';
import { ScriptReply } from './script-reply.js';
import { slotOf } from './slots.js';
import { type PartStore, partsBySlot, takeParts } from './split-take.js';
import type { TakeEntry } from './take-batch.js';
import { TakeBatches } from './take-batches.js';

export interface RedisStoreParts {
  readonly link: Pick<RedisLink, 'run' | 'isCluster' | 'close' | 'snapshot'>;
  /** What keys begin with: stores with another one share nothing. */
  readonly prefix: string;
  /** A clock instead of that of Redis, for tests. */
  readonly nowMs?: (() => number) | undefined;
}

/** Kinds of settle.lua. */
const REFUND = 0;
const CHARGE = 1;
const UNDO = 2;

/** One entry for a script: its rule and key, and the numbers that the script wants besides. */
interface ScriptEntry {
  readonly rule: RuleCode;
  readonly key: string;
  readonly numbers: readonly number[];
}

/**
 * States in Redis, Valkey or a Cluster of them, shared by all processes that use the same prefix. Decisions are scripts
 * there: the twins of the algorithms in core, decided in one round trip by the clock of Redis.
 */
export class RedisStore implements RateStore, LeaseStore {
  readonly isShared = true;
  readonly #link: RedisStoreParts['link'];
  readonly #prefix: string;
  readonly #nowMs: () => number;
  readonly #scripts: RateScripts = loadRateScripts();
  readonly #batches: TakeBatches;
  readonly #parts: PartStore;
  readonly #leases: RedisLeases;
  readonly #rules = new Map<string, RuleCode>();
  readonly #queues = new Map<string, RuleCode>();
  #isClosed = false;

  constructor({ link, prefix, nowMs }: RedisStoreParts) {
    this.#link = link;
    this.#prefix = prefix;
    this.#nowMs = nowMs ?? (() => 0);
    const run = (keys: readonly string[], batch: string) => link.run(this.#scripts.take, keys, [batch]);
    this.#leases = new RedisLeases({ link, nameOf: (rule, key) => this.#name(key, leaseCode(rule)), nowMs });
    this.#batches = new TakeBatches({ run, nowMs: this.#nowMs });
    this.#parts = {
      take: (slot, entries) => this.#batches.take(slot, entries),
      undo: (entries, takenAtMs) => this.#undo(entries, takenAtMs),
    };
  }

  /** No `async`: this is on the way of every decision. */
  take(requests: readonly RateRequest[]): Promise<TakeAnswer> {
    try {
      return this.#take(requests);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async peek(requests: readonly RateRequest[]): Promise<readonly RateDecision[]> {
    this.#checkOpen();
    const entries = requests.map((request) => {
      const { rule, key, cost } = this.#entryOf(request);
      return { rule, key, numbers: [cost] };
    });
    return this.#decide(this.#scripts.peek, entries);
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    this.#checkOpen();
    const entries: ScriptEntry[] = [];
    for (const { rule, key, reserved, actual, takenAtMs } of settlements) {
      const more = checkInteger('actual', actual, 0) - checkInteger('reserved', reserved, 0);
      const code = this.#codeOf(rule);
      if (more === 0) continue;
      const numbers = [
        more > 0 ? CHARGE : REFUND,
        Math.abs(more),
        Math.floor(checkNonNegative('takenAtMs', takenAtMs)),
      ];
      entries.push({ rule: code, key: this.#name(key, code), numbers });
    }
    await this.#decide(this.#scripts.settle, entries);
  }

  async schedule({ rule, key, cost }: RateRequest): Promise<ScheduleAnswer> {
    this.#checkOpen();
    const queue = this.#queueOf(rule);
    const batch = `[${this.#nowMs()},${queue.code},${checkInteger('cost', cost, 0)}]`;
    const reply = await this.#link.run(this.#scripts.schedule, [this.#name(key, queue)], [batch]);
    return readPlace(reply, rule);
  }

  async reset(rule: RateRule, key: string): Promise<void> {
    this.#checkOpen();
    const codes = [this.#codeOf(rule), leaseCode(rule)];
    if (rule.options.algorithm === 'leaking-bucket') codes.push(this.#queueOf(rule));
    // The key is in braces: all are in one slot.
    const keys = codes.map((code) => this.#name(key, code));
    await this.#link.run(this.#scripts.reset, keys, []);
  }

  /** Units in blocks, for processes that then decide by themselves. */
  async lease(requests: readonly LeaseRequest[]): Promise<readonly (LeaseGrant | undefined)[]> {
    this.#checkOpen();
    return await this.#leases.lease(requests);
  }

  /** Whether there is a connection, how many calls are under way, and what went wrong last. */
  snapshot(): ReturnType<RedisLink['snapshot']> {
    return this.#link.snapshot();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#batches.close(closedError());
    await this.#link.close();
  }

  #take(requests: readonly RateRequest[]): Promise<TakeAnswer> {
    this.#checkOpen();
    const entries = requests.map((request) => this.#entryOf(request));
    if (requests.length === 0) {
      return Promise.resolve({ allowed: true, decisions: [], takenAtMs: this.#nowMs() });
    }
    checkOnce(requests);
    if (!this.#link.isCluster) return this.#batches.take(0, entries);
    const parts = partsBySlot(entries, slotOf);
    return parts.length === 1 ? this.#batches.take(parts[0]!.slot, entries) : takeParts(this.#parts, parts);
  }

  async #undo(entries: readonly TakeEntry[], takenAtMs: number): Promise<readonly RateDecision[]> {
    const undone = entries.map(({ rule, key, cost }) => ({ rule, key, numbers: [UNDO, cost, takenAtMs] }));
    return this.#decide(this.#scripts.settle, undone);
  }

  /** Runs a script over entries that stand each for themselves, in as many calls as there are slots. */
  async #decide(script: RedisScript, entries: readonly ScriptEntry[]): Promise<readonly RateDecision[]> {
    const slots = this.#link.isCluster ? entries.map(({ key }) => slotOf(key)) : entries.map(() => 0);
    const decisions: RateDecision[] = [];
    await Promise.all(
      Array.from(new Set(slots), async (slot) => {
        const places = slots.flatMap((each, place) => (each === slot ? [place] : []));
        const some = places.map((place) => entries[place]!);
        const reply = await this.#link.run(
          script,
          some.map(({ key }) => key),
          [encode(this.#nowMs(), some)],
        );
        const read = new ScriptReply(reply, some.length);
        for (const [i, place] of places.entries()) decisions[place] = read.decision(i, some[i]!.rule);
      }),
    );
    return decisions;
  }

  #entryOf({ rule, key, cost, isShadow = false }: RateRequest): TakeEntry {
    const code = this.#codeOf(rule);
    return { rule: code, key: this.#name(key, code), cost: checkInteger('cost', cost, 0), isShadow };
  }

  #name(key: string, { suffix }: RuleCode): string {
    return keyName(this.#prefix, key, suffix);
  }

  #codeOf(rule: RateRule): RuleCode {
    let code = this.#rules.get(rule.name);
    if (code === undefined) {
      code = ruleCode(rule);
      this.#rules.set(rule.name, code);
    }
    checkSame(code.rule, rule);
    return code;
  }

  #queueOf(rule: RateRule): RuleCode {
    this.#codeOf(rule);
    let code = this.#queues.get(rule.name);
    if (code === undefined) {
      code = queueCode(rule);
      this.#queues.set(rule.name, code);
    }
    return code;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closedError();
  }
}

/** As leaking-queue.lua answers it. */
function readPlace(reply: unknown, { name }: RateRule): ScheduleAnswer {
  const [nowMs = 0, dueMs = -1, retryAfterMs = -1] = (Array.isArray(reply) ? reply : []).map(Number);
  if (!(nowMs > 0 && dueMs >= 0 && retryAfterMs >= -1)) {
    const why = Array.isArray(reply) ? reply[3] : reply;
    throw new Error(`the queue of rule ${name} cannot be read: ${String(why)}`);
  }
  return {
    dueMs: dueMs > 0 ? dueMs : undefined,
    retryAfterMs: retryAfterMs < 0 ? Number.POSITIVE_INFINITY : retryAfterMs,
    nowMs,
  };
}

function closedError(): Error {
  return new Error('the store is closed');
}

/** As peek.lua and settle.lua read it: now, rules, and of each entry the index of its rule and its numbers. */
function encode(nowMs: number, entries: readonly ScriptEntry[]): string {
  const rules = [...new Set(entries.map(({ rule }) => rule))];
  const numbers = entries.flatMap((entry) => [rules.indexOf(entry.rule), ...entry.numbers]);
  return `[${nowMs},[${rules.map(({ code }) => code).join()}],[${numbers.join()}]]`;
}
