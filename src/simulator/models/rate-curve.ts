import { elapsedMs } from '../../core/elapsed.js';

/** A wave round the mean, once a period. */
export interface Wave {
  readonly amplitude: number;
  readonly periodMs: number;
  readonly peakMs: number;
}

/** From an instant on, the rate is the base times this. */
export interface Stretch {
  readonly fromMs: number;
  readonly factor: number;
}

/** A wave changes the slope by so little between two arrivals that Newton needs two or three steps; bisection 60. */
const MOST_STEPS = 64;

/** Of the time found. Newton doubles the digits with each step, so a step as small as this has got all of them. */
const PRECISION = 1e-10;

/**
 * How many events a millisecond brings, over time: stretches of one factor each, times a wave. It has no steps to
 * follow in small: the events of any time are a formula, and the time until so many is its inverse. A stretch without
 * any is stepped over like any other.
 */
export class RateCurve {
  readonly #starts: Float64Array;
  readonly #factors: Float64Array;
  readonly #wave: Wave;

  /** Stretches in order of time, the first of them from 0 on. */
  constructor(stretches: readonly Stretch[], wave: Wave) {
    this.#starts = Float64Array.from(stretches, ({ fromMs }) => fromMs);
    this.#factors = Float64Array.from(stretches, ({ factor }) => factor);
    this.#wave = wave;
  }

  /** Events a millisecond. */
  rateAt(timeMs: number): number {
    return this.#factors[this.#stretchAt(timeMs)]! * this.#waveAt(timeMs);
  }

  /** How many events there are on average between two instants. */
  eventsBetween(fromMs: number, toMs: number): number {
    let events = 0;
    let at = fromMs;
    for (let stretch = this.#stretchAt(fromMs); at < toMs; stretch++) {
      const end = Math.min(toMs, this.#endOf(stretch));
      events += this.#eventsIn(stretch, at, elapsedMs(at, end));
      at = end;
    }
    return events;
  }

  /** When so many events have come since an instant; Infinity when they never will. */
  timeOf(events: number, fromMs: number): number {
    let left = events;
    let at = fromMs;
    for (let stretch = this.#stretchAt(fromMs); ; stretch++) {
      const end = this.#endOf(stretch);
      const isLast = end === Number.POSITIVE_INFINITY;
      const here = isLast ? Number.POSITIVE_INFINITY : this.#eventsIn(stretch, at, elapsedMs(at, end));
      if (this.#factors[stretch]! > 0 && left <= here) {
        return Math.min(end, at + this.#timeWithin(stretch, at, left));
      }
      if (isLast) return Number.POSITIVE_INFINITY;
      left -= here;
      at = end;
    }
  }

  /** The last one that starts at or before an instant. */
  #stretchAt(timeMs: number): number {
    let low = 0;
    for (let high = this.#starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= timeMs) low = middle;
      else high = middle;
    }
    return low;
  }

  #endOf(stretch: number): number {
    return this.#starts[stretch + 1] ?? Number.POSITIVE_INFINITY;
  }

  #waveAt(timeMs: number): number {
    const { amplitude, periodMs, peakMs } = this.#wave;
    if (amplitude === 0) return 1;
    return 1 + amplitude * Math.cos((2 * Math.PI * (timeMs - peakMs)) / periodMs);
  }

  /** The integral of the rate; sin a − sin b as a product, which keeps all digits when a and b are close. */
  #eventsIn(stretch: number, fromMs: number, forMs: number): number {
    const { amplitude, periodMs, peakMs } = this.#wave;
    const factor = this.#factors[stretch]!;
    if (amplitude === 0) return factor * forMs;
    const middle = Math.cos((2 * Math.PI * (fromMs + forMs / 2 - peakMs)) / periodMs);
    const swing = (periodMs / Math.PI) * middle * Math.sin((Math.PI * forMs) / periodMs);
    return factor * (forMs + amplitude * swing);
  }

  /** Newton's method, which halves the bracket instead wherever a flat trough would throw it out of it. */
  #timeWithin(stretch: number, fromMs: number, events: number): number {
    const { amplitude, periodMs } = this.#wave;
    const factor = this.#factors[stretch]!;
    const steady = events / factor;
    if (amplitude === 0) return steady;
    let least = steady / (1 + amplitude);
    let most = steady + (amplitude * periodMs) / Math.PI;
    let time = steady;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const over = this.#eventsIn(stretch, fromMs, time) - events;
      if (over === 0) break;
      if (over > 0) most = time;
      else least = time;
      const newton = time - over / (factor * this.#waveAt(fromMs + time));
      const next = newton >= least && newton <= most ? newton : (least + most) / 2;
      const change = Math.abs(next - time);
      time = next;
      if (change <= PRECISION * time) break;
    }
    return time;
  }
}
