import { checkDistinct, checkInteger, checkOneOf } from '../../core/check.js';
import type { ResolvedBackend } from './resolver.js';

/** About 2 MB of text. A service of more is several services, or a resolver that has gone astray. */
export const MOST_BACKENDS = 10_000;

/** A name has 253 characters at most (RFC 1035), scheme and port some more. */
const MOST_URL_CHARACTERS = 300;

/** Scheme and authority and nothing else. `new URL` alone is too kind: it mends spaces, backslashes and line breaks. */
const ORIGIN = /^https?:\/\/[^\s\\/?#@]+\/?$/i;

/** It is written into requests, so nothing that could end a line or a header. */
const AUTHORITY = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Labels of Kubernetes, zones of clouds. */
const ZONE = /^[\w./:-]{1,128}$/;

const STATES = ['ready', 'starting', 'lame-duck'] as const;

const FIELDS: readonly string[] = ['url', 'zone', 'state', 'host'];

/** An http(s) origin as URL; RangeError for anything else. */
export function checkOrigin(field: string, value: unknown): URL {
  const refused = (): never => {
    const shown =
      typeof value === 'string' ? JSON.stringify(value.slice(0, MOST_URL_CHARACTERS)) : typeof value;
    throw new RangeError(
      `${field} must be an http or https origin such as "http://10.0.0.1:8080" (no path, query or credentials), got ${shown}`,
    );
  };
  if (typeof value !== 'string' || value.length > MOST_URL_CHARACTERS || !ORIGIN.test(value))
    return refused();
  if (!URL.canParse(value)) return refused();
  const url = new URL(value);
  // To connect to port 0 is to connect to nothing.
  return url.port === '0' || url.href !== `${url.origin}/` ? refused() : url;
}

/** A backend from outside, its origin as all write it (`HTTP://A:80/` is `http://a`); RangeError when it is none. */
export function checkBackend(given: unknown): ResolvedBackend {
  if (typeof given === 'string') return { url: checkOrigin('url', given).origin };
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new RangeError(
      `a backend must be an origin or an object with url, got ${String(given).slice(0, 100)}`,
    );
  }
  const unknown = Object.keys(given).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    throw new RangeError(
      `a backend has no field ${JSON.stringify(unknown.slice(0, 100))}; it has ${FIELDS.join(', ')}`,
    );
  }
  const { url, zone, state, host } = given as Record<string, unknown>;
  return {
    url: checkOrigin('url', url).origin,
    ...(zone === undefined ? {} : { zone: checkPattern('zone', zone, ZONE) }),
    ...(state === undefined ? {} : { state: checkOneOf('state', state, STATES) }),
    ...(host === undefined ? {} : { host: checkHost('host', host) }),
  };
}

/** A name or an address, with a port or without. */
export function checkHost(field: string, value: unknown): string {
  return checkPattern(field, value, AUTHORITY);
}

function checkPattern(field: string, value: unknown, pattern: RegExp): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw new RangeError(`${field} must match ${pattern}, got ${JSON.stringify(value)?.slice(0, 300)}`);
}

/** All of them right and none twice, in order; what a caller writes down is refused when it is wrong. */
export function checkBackends(field: string, given: readonly unknown[]): readonly ResolvedBackend[] {
  if (!Array.isArray(given)) throw new RangeError(`${field} must be a list of backends`);
  checkInteger(`${field}.length`, given.length, 0, MOST_BACKENDS);
  const backends = given.map((each, at) => {
    try {
      return checkBackend(each);
    } catch (error) {
      throw new RangeError(`${field}[${at}]: ${(error as Error).message}`);
    }
  });
  checkDistinct(
    field,
    backends.map(({ url }) => url),
  );
  return sorted(backends);
}

export interface Normalised {
  /** Sorted by URL, each once. */
  readonly backends: readonly ResolvedBackend[];
  /** How many were no backends, or too many. */
  readonly dropped: number;
  /** Why the first of them was dropped. */
  readonly problem: string | undefined;
}

/** What is right of what somebody else said: the rest is dropped and counted, and what is said twice is merged. */
export function normaliseBackends(given: readonly unknown[]): Normalised {
  const byUrl = new Map<string, ResolvedBackend>();
  let dropped = 0;
  let problem: string | undefined;
  const drop = (why: string): void => {
    dropped++;
    problem ??= why;
  };
  for (const each of given) {
    let backend: ResolvedBackend;
    try {
      backend = checkBackend(each);
    } catch (error) {
      drop((error as Error).message);
      continue;
    }
    const known = byUrl.get(backend.url);
    if (known !== undefined) byUrl.set(backend.url, merge(known, backend));
    else if (byUrl.size < MOST_BACKENDS) byUrl.set(backend.url, backend);
    else drop(`there are more than ${MOST_BACKENDS}`);
  }
  return { backends: sorted([...byUrl.values()]), dropped, problem };
}

/** Two sources of one backend disagree for a moment: it is ready if either says so, health checks will tell. */
function merge(one: ResolvedBackend, other: ResolvedBackend): ResolvedBackend {
  const state = rank(one) <= rank(other) ? one.state : other.state;
  const { state: _, ...merged } = { ...other, ...one };
  return state === undefined ? merged : { ...merged, state };
}

function rank({ state = 'ready' }: ResolvedBackend): number {
  return ['ready', 'lame-duck', 'starting'].indexOf(state);
}

/** By code units: the same order in every process, whatever its language. */
function sorted(backends: readonly ResolvedBackend[]): readonly ResolvedBackend[] {
  return backends.toSorted((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0));
}

/** Whether two lists, both sorted, say the same. */
export function areSame(some: readonly ResolvedBackend[], others: readonly ResolvedBackend[]): boolean {
  return (
    some.length === others.length &&
    some.every((one, at) => {
      const other = others[at]!;
      return (
        one.url === other.url &&
        one.zone === other.zone &&
        one.host === other.host &&
        (one.state ?? 'ready') === (other.state ?? 'ready')
      );
    })
  );
}
