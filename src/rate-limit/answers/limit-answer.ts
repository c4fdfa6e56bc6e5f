import { RATE_LIMITED_HEADER } from '../../wire/index.js';
import { limitHeaders, type Ruling, seconds } from './limit-headers.js';

/** What is answered to a request instead of serving it: 429 over a limit, 202 when it is queued. */
export interface LimitAnswer {
  readonly status: number;
  /** A flat list of names and values. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** A kind of problem that draft-ietf-httpapi-ratelimit-headers registers. */
const TYPE = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

export function limitAnswer(rulings: readonly Ruling[], withLegacy: boolean): LimitAnswer {
  const violated = rulings.filter(({ decision }) => !decision.allowed);
  const body = JSON.stringify({
    type: TYPE,
    title: 'Quota exceeded',
    status: 429,
    'violated-policies': violated.map(({ rule }) => rule.name),
  });
  const retryAfterMs = Math.max(...violated.map(({ decision }) => decision.retryAfterMs));
  const headers = [...limitHeaders(rulings, withLegacy), RATE_LIMITED_HEADER, 'true'];
  // One that costs more than the whole limit never passes: there is no time to name.
  if (Number.isFinite(retryAfterMs)) headers.push('Retry-After', String(seconds(retryAfterMs)));
  headers.push('Content-Type', 'application/problem+json', 'Content-Length', String(body.length));
  return { status: 429, headers, body };
}
