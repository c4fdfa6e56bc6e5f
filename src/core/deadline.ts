import { elapsedMs } from './elapsed.js';

/**
 * A deadline is an instant of the monotonic clock, `Infinity` when there is none. Between processes it travels as the
 * time that remains, since their clocks have nothing in common; each hop takes the earlier of what it was told and what
 * it allows itself, so the time that remains never grows on the way down.
 */
export const NO_DEADLINE = Number.POSITIVE_INFINITY;

/** The instant at which a timeout that starts now runs out; no timeout (or NaN), no deadline. */
export function deadlineAfter(now: number, timeoutMs: number | undefined): number {
  return timeoutMs === undefined || Number.isNaN(timeoutMs) ? NO_DEADLINE : now + Math.max(0, timeoutMs);
}

/** How much time there is; 0 when it has passed. */
export function remainingMs(deadlineMs: number, now: number): number {
  return elapsedMs(now, deadlineMs);
}

/** Exactly at its deadline a request is late: the answer could only be. */
export function isExpired(deadlineMs: number, now: number): boolean {
  return now >= deadlineMs;
}

/**
 * The deadline of a request that comes in with `told` remaining (undefined: nothing was said) at a hop that gives it
 * `ownTimeoutMs` at most. From outside anything may come: NaN says nothing, a
 * negative number says that it is too late.
 */
export function hopDeadline(now: number, told: number | undefined, ownTimeoutMs?: number): number {
  return Math.min(deadlineAfter(now, told), deadlineAfter(now, ownTimeoutMs));
}
