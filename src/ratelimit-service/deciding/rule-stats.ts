import type { CompiledLimit } from '../rules/compiled-limit.js';

/** What was counted under one name, in hits. */
export interface RuleTotals {
  readonly label: string;
  total: number;
  /** Beyond the share of the limit that is called near, and within it. */
  near: number;
  over: number;
  /** Refused by a rule in shadow, and let through. */
  shadow: number;
  /** Decided without the store. */
  undecided: number;
}

/** Detailed statistics have values of clients in their names: those beyond share one, so that there is an end to it. */
const MOST_LABELS = 1_000;
const OTHER = '(other)';

/** How often each rule was hit since the start, as Envoy's service counts. */
export class RuleStats {
  readonly #nearRatio: number;
  readonly #totals = new Map<string, RuleTotals>();

  constructor(nearRatio: number) {
    this.#nearRatio = nearRatio;
  }

  /** `before`: what of the limit was used before these hits. */
  add(label: string, limit: CompiledLimit, hits: number, before: number, isOver: boolean): RuleTotals {
    const totals = this.of(label);
    totals.total += hits;
    const most = limit.requestsPerUnit;
    const near = Math.floor(most * this.#nearRatio);
    const after = before + hits;
    if (isOver) {
      // Some of these hits may have been within the limit, and some of those near it.
      totals.over += before >= most ? hits : after - most;
      if (before < most) totals.near += most - Math.max(near, before);
      if (limit.isShadow) totals.shadow += hits;
    } else if (after > near) totals.near += Math.min(hits, after - near);
    return totals;
  }

  of(label: string): RuleTotals {
    const known = this.#totals.get(label);
    if (known !== undefined) return known;
    const name = this.#totals.size < MOST_LABELS ? label : OTHER;
    const totals = this.#totals.get(name) ?? {
      label: name,
      total: 0,
      near: 0,
      over: 0,
      shadow: 0,
      undecided: 0,
    };
    this.#totals.set(name, totals);
    return totals;
  }

  snapshot(): readonly Readonly<RuleTotals>[] {
    return [...this.#totals.values()].map((totals) => ({ ...totals }));
  }
}
