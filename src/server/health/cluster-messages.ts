import type { GateState } from '../../core/index.js';
import { HEALTH_STATES, type Health, isLoadNumber } from '../../wire/index.js';

/**
 * What the primary of `node:cluster` and its workers say to each other. The application uses the same channel: ours
 * carry a mark, and what does not look exactly like ours is not for us.
 */
export type ClusterMessage =
  /** A worker says how it is; the primary says how all are. */
  | { readonly plimsoll: 'health'; readonly health: Health }
  /** The primary: finish what you have, and end. */
  | { readonly plimsoll: 'drain' };

/** How often each says it. Clients reweigh every second. */
export const REPORT_MS = 250;

const FIELDS = [
  'cpuUtilization',
  'applicationUtilization',
  'requestsPerSecond',
  'errorsPerSecond',
  'inFlight',
  'latencyMs',
] as const;

/** The message, or undefined for anything else. */
export function parseClusterMessage(message: unknown): ClusterMessage | undefined {
  const { plimsoll, health } = record(message);
  if (plimsoll === 'drain') return { plimsoll };
  if (plimsoll !== 'health') return undefined;
  const { state, report } = record(health);
  if (!HEALTH_STATES.includes(state as GateState)) return undefined;
  const numbers = Object.entries(record(report)).filter(([name]) =>
    FIELDS.includes(name as (typeof FIELDS)[number]),
  );
  if (!numbers.every(([, value]) => isLoadNumber(value))) return undefined;
  return { plimsoll, health: { state: state as GateState, report: Object.fromEntries(numbers) } };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
