/** What one rule has said since the start. */
export interface RuleTotals {
  readonly rule: string;
  readonly allowed: number;
  readonly refused: number;
  /** By a rule in shadow: it would have refused. */
  readonly shadowRefused: number;
  /** Kept until their turn, where one can be. */
  readonly queued?: number;
  /** Of all these, decided without the store. */
  readonly undecided: number;
  /** Waiting for their turn at present, where one can. */
  readonly waiting?: number;
}

/** What metrics are read from, when somebody collects. Never keys: there may be millions of them. */
export interface MetricSource {
  ruleTotals(): readonly RuleTotals[];
  /** Answers of the store that were errors, and those that did not come in time. */
  storeTotals(): { readonly failed: number; readonly late: number };
}

/** As many names as a metrics system should be given for one label; all further ones share one. */
const MOST_RULES = 200;
const OTHER = '(other)';

/**
 * All sources of one meter, added up by name: several limiters may count under one, and what they said one after the other
 * would otherwise be taken for differences in time. What a closed one has counted stays counted.
 */
export class SourceSum {
  readonly #sources = new Set<MetricSource>();
  readonly #gone = new Map<string, RuleTotals>();
  #goneFailed = 0;
  #goneLate = 0;

  get size(): number {
    return this.#sources.size;
  }

  add(source: MetricSource): void {
    this.#sources.add(source);
  }

  remove(source: MetricSource): void {
    if (!this.#sources.delete(source)) return;
    // Nobody waits any more.
    for (const { waiting: _, ...totals } of source.ruleTotals()) addTotals(this.#gone, totals);
    const { failed, late } = source.storeTotals();
    this.#goneFailed += failed;
    this.#goneLate += late;
  }

  rules(): Iterable<RuleTotals> {
    const sum = new Map(this.#gone);
    for (const source of this.#sources) for (const totals of source.ruleTotals()) addTotals(sum, totals);
    return sum.values();
  }

  store(): { failed: number; late: number } {
    const sum = { failed: this.#goneFailed, late: this.#goneLate };
    for (const source of this.#sources) {
      const { failed, late } = source.storeTotals();
      sum.failed += failed;
      sum.late += late;
    }
    return sum;
  }
}

function addTotals(sum: Map<string, RuleTotals>, more: RuleTotals): void {
  const rule = sum.has(more.rule) || sum.size < MOST_RULES ? more.rule : OTHER;
  const known = sum.get(rule);
  const queued = (known?.queued ?? 0) + (more.queued ?? 0);
  const waiting = (known?.waiting ?? 0) + (more.waiting ?? 0);
  sum.set(rule, {
    rule,
    allowed: (known?.allowed ?? 0) + more.allowed,
    refused: (known?.refused ?? 0) + more.refused,
    shadowRefused: (known?.shadowRefused ?? 0) + more.shadowRefused,
    undecided: (known?.undecided ?? 0) + more.undecided,
    ...(known?.queued === undefined && more.queued === undefined ? {} : { queued }),
    ...(known?.waiting === undefined && more.waiting === undefined ? {} : { waiting }),
  });
}
