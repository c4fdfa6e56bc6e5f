import { type Criticality, type ErrorCode, FairSamples, SampleKind } from '../core/index.js';

/** Why the gateway itself did not send a request on: a limit, nobody knows who asks or can tell, no route; or what its client said. */
export type GatewayRefusalReason = 'limited' | 'unknown' | 'unverified' | 'no-route' | ErrorCode;

/** One request that was refused after the guard had let it in. */
export interface GatewayRefusal {
  /** By the clock on the wall. */
  readonly atMs: number;
  readonly reason: GatewayRefusalReason;
  /** Undefined where no route is for it. */
  readonly route?: string | undefined;
  readonly customer?: string | undefined;
  readonly criticality?: Criticality | undefined;
  /** The limit it was over, the key it is counted by there, and when it may come again. */
  readonly limit?: string | undefined;
  readonly key?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The service it was for. */
  readonly service?: string | undefined;
}

/** As many as a guard keeps of its own. */
const SAMPLES = Object.freeze({ most: 50, perSecond: 20 });

const MOST_CHARACTERS = 128;

/** Reasons are a handful; a mistake that makes more must not fill the memory. */
const MOST_REASONS = 32;

/**
 * Some of the requests that a gateway refused last, of each reason. One that is not kept costs a look at the clock and a
 * comparison, 0.1 µs: `isWanted` is asked before anything is put together.
 */
export class RecentGatewayRefusals {
  readonly #samples = new FairSamples<GatewayRefusal>(SAMPLES);
  readonly #kinds = new Map<GatewayRefusalReason, SampleKind>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  isWanted(reason: GatewayRefusalReason): boolean {
    const kind = this.#kinds.get(reason);
    return kind === undefined ? this.#kinds.size < MOST_REASONS : this.#now() >= kind.nextMs;
  }

  add(refusal: Omit<GatewayRefusal, 'atMs'>): void {
    const { reason } = refusal;
    const kind = this.#kinds.get(reason) ?? this.#samples.addKind(new SampleKind());
    this.#kinds.set(reason, kind);
    this.#samples.add(kind, shortened({ atMs: Date.now(), ...refusal }), this.#now());
  }

  /** Newest first. */
  values(): GatewayRefusal[] {
    return this.#samples.values();
  }
}

/** Names and keys come from requests. */
function shortened(refusal: GatewayRefusal): GatewayRefusal {
  return Object.fromEntries(
    Object.entries(refusal).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, MOST_CHARACTERS) : value,
    ]),
  ) as unknown as GatewayRefusal;
}
