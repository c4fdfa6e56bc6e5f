import { type AnswerHead, joined, members } from './answer-head.js';
import { CacheControl } from './cache-control.js';

/** How long a copy may be used, and for whom. */
export interface Lifetime {
  /** Whether it may be given to whoever shows credentials, and kept of an answer to somebody who did. */
  readonly isPublic: boolean;
  /** How old it was when it was made: not 0 for what was passed on from elsewhere. */
  readonly ageMs: number;
  /** Up to this age it is as good as new … */
  readonly freshMs: number;
  /** … and so long after it may be used all the same. */
  readonly staleMs: number;
}

/** An answer with one of these is somebody's own, or only a part. */
const NEVER = new Set([
  'set-cookie',
  'set-cookie2',
  'clear-site-data',
  'www-authenticate',
  'authentication-info',
  'content-range',
  'trailer',
]);

/** Of an answer that says nothing, which most do. */
const SILENT = new CacheControl('');

/** More would be more kinds of one answer than are worth keeping. */
export const MOST_VARIED = 8;

/**
 * Whether a 200 answer may be kept, by RFC 9111 3 as a shared cache; undefined when not. `no-cache` could be kept for
 * validating, but not be served without, which is all that is done here.
 */
export function lifetimeOf(head: AnswerHead, maxStaleMs: number, wallMs: number): Lifetime | undefined {
  for (const name of head.keys()) if (NEVER.has(name)) return undefined;
  // A stream of events has no end.
  if (joined(head, 'content-type')?.toLowerCase().startsWith('text/event-stream')) return undefined;
  const directives = joined(head, 'cache-control');
  const control = directives === undefined ? SILENT : new CacheControl(directives);
  if (control.has('no-store') || control.has('private') || control.has('no-cache')) return undefined;
  const staleMs = staleMsOf(control, maxStaleMs);
  const freshMs = freshMsOf(control, head, wallMs);
  if (freshMs + staleMs === 0) return undefined;
  return { isPublic: control.has('public'), ageMs: ageMsOf(head, wallMs), freshMs, staleMs };
}

/** RFC 9111 4.2.1. Without any of them nothing is assumed: it is stale at once. */
function freshMsOf(control: CacheControl, head: AnswerHead, wallMs: number): number {
  const maxAgeMs = control.ms('s-maxage') ?? control.ms('max-age');
  if (maxAgeMs !== undefined) return maxAgeMs;
  const expires = joined(head, 'expires');
  if (expires === undefined) return 0;
  const lifeMs = Date.parse(expires) - dateOf(head, wallMs);
  // Not a date, "0" for one, is in the past (RFC 9111 5.3).
  return lifeMs > 0 ? lifeMs : 0;
}

/**
 * RFC 9111 4.2.4 lets stale answers be served by configuration, which `maxStaleMs` is, unless a directive forbids it;
 * `stale-if-error` (RFC 5861) says for how long where the alternative is a 503. `s-maxage` forbids by implication, which
 * whoever adds `stale-if-error` to it cannot have meant.
 */
function staleMsOf(control: CacheControl, maxStaleMs: number): number {
  if (control.has('must-revalidate') || control.has('proxy-revalidate')) return 0;
  const saidMs = control.ms('stale-if-error');
  if (saidMs !== undefined) return Math.min(saidMs, maxStaleMs);
  return control.has('s-maxage') ? 0 : maxStaleMs;
}

/** RFC 9111 4.2.3, the answer having come from this very process. */
function ageMsOf(head: AnswerHead, wallMs: number): number {
  const saidMs = Number(joined(head, 'age') ?? 0) * 1_000;
  return Math.max(0, wallMs - dateOf(head, wallMs), saidMs >= 0 ? saidMs : 0);
}

function dateOf(head: AnswerHead, wallMs: number): number {
  const date = Date.parse(joined(head, 'date') ?? '');
  return Number.isNaN(date) ? wallMs : date;
}

/**
 * Request headers that chose this answer among others (RFC 9111 4.1), sorted; undefined when nobody can tell (`*`). Beside
 * `Vary` those that were plainly looked at, said or not: an encoding was chosen by Accept-Encoding, one allowed origin
 * by Origin.
 */
export function variedBy(head: AnswerHead): string[] | undefined {
  const names = new Set(members(head, 'vary'));
  if (names.has('*')) return undefined;
  if (members(head, 'content-encoding').some((coding) => coding !== 'identity')) names.add('accept-encoding');
  const origin = joined(head, 'access-control-allow-origin');
  if (origin !== undefined && origin !== '*') names.add('origin');
  return names.size > MOST_VARIED ? undefined : [...names].sort();
}
