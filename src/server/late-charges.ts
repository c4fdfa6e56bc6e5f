import type { Criticality } from '../core/criticality.js';
import { elapsedMs } from '../core/elapsed.js';
import type { RequestCpu } from './cpu/index.js';

/** Whose quota it is. */
export interface Payer {
  readonly customer: string;
  readonly criticality: Criticality;
  /** Not, if quotas did not count when it was let in. */
  readonly isOwed: boolean;
}

/** What a request uses is charged until so long after its end, as the CPU meter has it: some work never ends. */
const LATE_MS = 30_000;

/** As often as lines are drawn. A handler that charges token by token is one cost then, not a hundred small ones. */
const EVERY_MS = 100;

/** Of so many there are enough: they are charged at once. */
const MOST_PAYERS = 1_000;

/**
 * What requests use after their end: handlers go on when their clients have left, and some after the answer. It is
 * charged all the same, a little later: else leaving early would be free.
 */
export class LateCharges {
  readonly #isCpu: boolean;
  readonly #charge: (payer: Payer, cost: number) => void;
  readonly #costs = new Map<Payer, number>();
  #timer: NodeJS.Timeout | undefined = undefined;

  /** Whether the unit is CPU-seconds; else it is what handlers charge. */
  constructor(isCpu: boolean, charge: (payer: Payer, cost: number) => void) {
    this.#isCpu = isCpu;
    this.#charge = charge;
  }

  /** A handler has charged it. */
  addAmount(request: Payer & { readonly endedMs: number }, amount: number, now: number): void {
    if (this.#isCpu || !(amount > 0) || elapsedMs(request.endedMs, now) > LATE_MS) return;
    this.#add(request, amount);
  }

  /** Whatever the meter sees of it from now on is charged. It knows when to stop. */
  follow({ cpu, isOwed }: { readonly cpu: RequestCpu | undefined; readonly isOwed: boolean }): void {
    if (cpu === undefined || !this.#isCpu) return;
    cpu.isOwed = isOwed;
    cpu.onLate = this.#onCpu;
  }

  readonly #onCpu = (payer: Payer, cpuMs: number): void => {
    this.#add(payer, cpuMs / 1_000);
  };

  #add(payer: Payer, cost: number): void {
    this.#costs.set(payer, (this.#costs.get(payer) ?? 0) + cost);
    if (this.#costs.size >= MOST_PAYERS) this.#settle();
    else this.#timer ??= setTimeout(() => this.#settle(), EVERY_MS).unref();
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [payer, cost] of this.#costs) this.#charge(payer, cost);
    this.#costs.clear();
  }
}
