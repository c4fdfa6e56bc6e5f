import { RejectedError } from '../../errors.js';
import type { LocalityHealth } from './health-shares.js';

/** What a router is told of a locality. */
export interface LocalityState extends LocalityHealth {
  readonly name: string;
  /**
   * Mean of what its backends report, 1 = full; undefined = not heard of, which leaves its allowance as it is. Best a
   * figure that rises above 1: of a CPU at its limit one sees only 1, and learns 5 % a second.
   */
  readonly utilization?: number | undefined;
  /** If its backends differ from the others'. */
  readonly capacityPerBackend?: number;
}

/** One locality as a router sees it. */
export interface LocalitySnapshot extends LocalityState {
  readonly sentPerSecond: number;
  /** Undefined when there is no cap. */
  readonly capacityPerSecond: number | undefined;
  /** The part of the traffic that would bring it to its target utilization, and the part it gets. */
  readonly allowance: number;
  readonly share: number;
}

/** How a router divides traffic at this moment. */
export interface LocalityRouterSnapshot {
  readonly offeredPerSecond: number;
  /** The part of it that, by the last update, no locality has room for. */
  readonly refusedShare: number;
  readonly localities: readonly LocalitySnapshot[];
}

/** Why no locality could be chosen, each with its state. */
export function noCapacityError({ localities }: LocalityRouterSnapshot): RejectedError {
  const states = localities.map((locality) => {
    const { name, healthy, total, sentPerSecond, capacityPerSecond, utilization } = locality;
    const sent = `sent ${sentPerSecond} of ${capacityPerSecond ?? 'unlimited'}/s`;
    return `${name} (${healthy} of ${total} healthy, ${sent}, utilization ${utilization?.toFixed(2) ?? 'unknown'})`;
  });
  const message = states.length === 0 ? 'no locality is known' : `no locality has room: ${states.join(', ')}`;
  return new RejectedError('PLIMSOLL_NO_CAPACITY', message, { retry: 'later' });
}
