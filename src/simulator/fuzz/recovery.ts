import type { FleetSpec, LinkSpec, ServiceSpec } from '../fleet/index.js';

/** OUTLIER_DEFAULTS: an ejection, once. The faults of a run do not last long enough for a second in a row. */
const EJECTED_MS = 30_000;
/** SINKHOLE: 1 s, doubling. Seven seconds of faults, and requests under way, are less than 1 + 2 + 4 + 8. */
const PREQUAL_EJECTED_MS = 16_000;
/** ALLOWANCE_DEFAULTS: from a probe share of 3 % back to all. */
const ALLOWANCE_MS = 21_000;
/** Cut off, a backend is looked at each second. */
const NOTICED_MS = 2_000;
/** A limit of requests that run at once is learned anew, a quota divided, a queue worked off. */
const LEARNED_MS = 4_000;

/**
 * How long after the last planned fault everything is as it was, in a fleet that has room: first every restart is over,
 * then whoever was thought ill of because of it is thought well of again.
 */
export function recoveryMs({ services, clients, faults }: FleetSpec): number {
  const links: LinkSpec[] = [
    ...Object.values(clients),
    ...Object.values(services).flatMap(({ calls }) => calls),
  ];
  const restarts = faults.filter(({ kind }) => kind === 'restart');
  const startsMs = Math.max(
    ...Object.values(services).map(({ startMs, warmup }) => startMs + (warmup?.forMs ?? 0)),
  );
  const underWayMs = Math.max(...Object.values(clients).map(({ deadlineMs }) => deadlineMs));
  const opinionMs = Math.max(...links.map(opinionsMs));
  const restartsMs = restarts.reduce(
    (sum, { service }) => sum + restartAllMs(services[service]!, underWayMs),
    0,
  );
  return restartsMs + startsMs + NOTICED_MS + underWayMs + opinionMs + LEARNED_MS;
}

/** One at a time, at the worst. It exits when it has nothing to do: in a fleet with room deadlines are far off. */
function restartAllMs({ backends, startMs, spreadMs, drainMs }: ServiceSpec, underWayMs: number): number {
  const count =
    typeof backends === 'number' ? backends : backends.reduce((sum, group) => sum + group.count, 0);
  return count * (startMs + spreadMs + Math.min(drainMs, underWayMs / 4) + 50);
}

function opinionsMs({ ejects, policy, localities, throttle }: LinkSpec): number {
  const isPrequal = (typeof policy === 'string' ? policy : policy.name) === 'prequal';
  return Math.max(
    ejects ? EJECTED_MS : 0,
    isPrequal ? PREQUAL_EJECTED_MS : 0,
    localities === undefined ? 0 : ALLOWANCE_MS,
    throttle === false ? 0 : throttledMs(throttle),
  );
}

/** More than any client makes in a window. */
const MOST_REQUESTS = 600;

/**
 * In an outage one request of a window is sent. When it is accepted, k are sent in the next window, then k²: until all
 * are. The window is a slot longer than its name says.
 */
function throttledMs({ windowMs, k }: Exclude<LinkSpec['throttle'], false>): number {
  return windowMs * 1.05 * (2 + Math.log(MOST_REQUESTS) / Math.log(k));
}
