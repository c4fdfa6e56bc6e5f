import type { LeaseGrant } from '../../core/index.js';
import { MOST_HELD_MS } from '../../core/rate-limiting/leasing/bucket-ledger.js';
import type { LeaseRequest, LeaseStore } from '../lease-store.js';
import type { RateRule } from '../rate-store.js';
import type { RedisLink } from './redis-link.js';
import { loadScript } from './redis-script.js';
import { ruleCode } from './rule-code.js';
import { slotOf } from './slots.js';

const LEASE = loadScript('states.lua', 'lease.lua');

/** So many keys at once hold Redis up for less than a millisecond. */
const MOST_KEYS = 64;

/** Numbers of an answer for each ask. */
const WIDTH = 6;

export interface LeasesOptions {
  readonly link: Pick<RedisLink, 'run' | 'isCluster'>;
  readonly nameOf: (rule: RateRule, key: string) => string;
  /** Of tests; Redis has its own. */
  readonly nowMs?: (() => number) | undefined;
}

/** Leases whose ledger is in Redis: scripts/lease.lua decides as the ledgers of core do. */
export class RedisLeases implements LeaseStore {
  readonly #options: LeasesOptions;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  async lease(requests: readonly LeaseRequest[]): Promise<readonly (LeaseGrant | undefined)[]> {
    const { link, nameOf } = this.#options;
    const grants = new Array<LeaseGrant | undefined>(requests.length);
    const names = requests.map(({ rule, key }) => nameOf(rule, key));
    const parts = new Map<number, number[][]>();
    for (const [i, name] of names.entries()) {
      const lists = parts.get(link.isCluster ? slotOf(name) : 0) ?? [[]];
      parts.set(link.isCluster ? slotOf(name) : 0, lists);
      if (lists.at(-1)!.length === MOST_KEYS) lists.push([]);
      lists.at(-1)!.push(i);
    }
    const calls = [...parts.values()].flat().map(async (indices) => {
      const answer = await this.#ask(
        indices.map((i) => requests[i]!),
        indices.map((i) => names[i]!),
      );
      for (const [place, i] of indices.entries()) grants[i] = grantAt(answer, 1 + WIDTH * place);
    });
    // On a Cluster one node may be gone: the others' grants are not lost for it.
    const outcomes = await Promise.allSettled(calls);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined && calls.length === 1) throw failed.reason;
    return grants;
  }

  async #ask(requests: readonly LeaseRequest[], names: readonly string[]): Promise<readonly number[]> {
    const rules = [...new Set(requests.map(({ rule }) => rule))];
    const asks = requests.map((each) => [
      rules.indexOf(each.rule),
      each.holder,
      each.turn,
      each.wants,
      each.urgent,
      each.needs,
      each.holds,
      each.returns,
      each.epochMs,
      Math.min(each.rule.options.windowMs, MOST_HELD_MS),
    ]);
    const codes = rules.map((rule) => ruleCode(rule).code);
    const batch = `[${this.#options.nowMs?.() ?? 0},[${codes}],${JSON.stringify(asks)}]`;
    const answer = await this.#options.link.run(LEASE, names, [batch]);
    return (Array.isArray(answer) ? answer : []).map(Number);
  }
}

function grantAt(answer: readonly number[], at: number): LeaseGrant | undefined {
  const granted = answer[at]!;
  if (!(granted >= 0)) return undefined;
  return {
    granted,
    validMs: answer[at + 1]!,
    epochMs: answer[at + 2]!,
    remaining: answer[at + 3]!,
    retryAfterMs: answer[at + 4]!,
    resetMs: answer[at + 5]!,
  };
}
