import { checkDistinct, checkPositive } from '../check.js';
import { believable, type SignalReading, type UtilizationSignal } from './utilization-signal.js';

/** Several signals as one (SRE ch. 21: "combine multiple signals"), which still says what it is made of. */
export interface CombinedSignal extends UtilizationSignal {
  explain(now: number): SignalReading[];
}

/** A signal, and how much it counts in a sum. */
export interface WeightedSignal {
  readonly signal: UtilizationSignal;
  readonly weight: number;
}

class HighestSignal implements CombinedSignal {
  readonly name = 'highest';
  readonly #signals: readonly UtilizationSignal[];

  constructor(signals: readonly UtilizationSignal[]) {
    checkNames(signals);
    this.#signals = [...signals];
  }

  utilization(now: number): number {
    let highest = 0;
    // By index: the iterator of for…of would be the only allocation of a request that is refused.
    for (let index = 0; index < this.#signals.length; index++) {
      const utilization = believable(this.#signals[index]!.utilization(now));
      if (utilization > highest) highest = utilization;
    }
    return highest;
  }

  explain(now: number): SignalReading[] {
    return this.#signals.map((signal) => read(signal, now));
  }
}

class WeightedSumSignal implements CombinedSignal {
  readonly name = 'weighted-sum';
  readonly #signals: readonly UtilizationSignal[];
  readonly #weights: readonly number[];

  constructor(parts: readonly WeightedSignal[]) {
    this.#signals = parts.map(({ signal }) => signal);
    checkNames(this.#signals);
    this.#weights = parts.map(({ signal, weight }) => checkPositive(`weight of ${signal.name}`, weight));
  }

  utilization(now: number): number {
    let sum = 0;
    for (let index = 0; index < this.#signals.length; index++) {
      sum += this.#weights[index]! * believable(this.#signals[index]!.utilization(now));
    }
    return sum;
  }

  explain(now: number): SignalReading[] {
    return this.#signals.map((signal) => read(signal, now));
  }
}

class RetargetedSignal implements UtilizationSignal {
  readonly name: string;
  readonly #signal: UtilizationSignal;
  readonly #target: number;

  constructor(signal: UtilizationSignal, target: number) {
    this.name = signal.name;
    this.#signal = signal;
    this.#target = checkPositive(`target of ${signal.name}`, target);
  }

  utilization(now: number): number {
    return this.#signal.utilization(now) / this.#target;
  }
}

/**
 * Each against its own target: the fullest one decides. The usual choice, as the first resource to run out is the
 * limit.
 */
export function highestOf(signals: readonly UtilizationSignal[]): CombinedSignal {
  return new HighestSignal(signals);
}

/**
 * Together against one target: many half-full resources may be too much where none of them alone is. With weights
 * that add up to 1 the sum is 1 when each is at its target.
 */
export function weightedSumOf(parts: readonly WeightedSignal[]): CombinedSignal {
  return new WeightedSumSignal(parts);
}

/** The signal against another target: with 0.9, nine tenths of what it called full is 1. */
export function withTarget(signal: UtilizationSignal, target: number): UtilizationSignal {
  return new RetargetedSignal(signal, target);
}

/** Two of one name could not be told apart in a report. */
function checkNames(signals: readonly UtilizationSignal[]): void {
  checkDistinct(
    'signals',
    signals.map(({ name }) => name),
  );
}

/** As it counts, not as it was said. */
function read(signal: UtilizationSignal, now: number): SignalReading {
  return { name: signal.name, utilization: believable(signal.utilization(now)) };
}
