import { checkInteger, checkPositive, withDefaults } from '../../core/check.js';
import type { ClientOptions } from '../../stores/redis/redis-client.js';
import { checkName } from '../limiter-options.js';
import { HeaderKeeper, type Secrets } from './header-keeper.js';
import type { PerformedAnswer } from './queued-answer.js';
import type { QueuedRequest } from './queued-request.js';

/** Executes a request. It may be asked for the same one again: see `id`. What it throws is a failed attempt. */
export type Perform = (request: QueuedRequest, limits: PerformLimits) => Promise<PerformedAnswer>;

/** Bounds of one attempt. */
export interface PerformLimits {
  /** Aborted when the attempt has taken `attemptMs`, or when the queue is closed and waits no longer. */
  readonly signal: AbortSignal;
  /** Longer bodies are not kept: whoever knows may stop reading. */
  readonly maxResultBytes: number;
}

/** What is kept when it is over a limit, for how long, and who performs it. Redis is needed, by `url` or `client`. */
export interface OverflowQueueOptions extends ClientOptions {
  /** Queues of one name, prefix and Redis are one queue. */
  readonly name?: string | undefined;
  /** Begins all keys in Redis. In a Cluster it must have a part in braces, which keeps a queue on one node. */
  readonly prefix?: string | undefined;
  /** Without it requests are accepted here and performed by others. */
  readonly perform?: Perform | undefined;
  /** Attempts under way at once, in this process. */
  readonly concurrency?: number | undefined;
  /** After so many failed ones a request is a dead letter. */
  readonly attempts?: number | undefined;
  /** Until the second attempt; doubled for each further one, and shortened at random by up to a half. */
  readonly backoffMs?: number | undefined;
  /** How long one attempt may take. */
  readonly attemptMs?: number | undefined;
  /** Within which a request is taken up again whose process was killed. */
  readonly takeOverMs?: number | undefined;
  /** One that starts later than this after its turn gets another turn: see `paceBy`. */
  readonly lateMs?: number | undefined;
  /** Longer bodies are answered with 413: Redis keeps all of it in memory. */
  readonly maxBodyBytes?: number | undefined;
  /** How many may wait, of all keys together. */
  readonly maxQueued?: number | undefined;
  /** How long answers are kept. */
  readonly resultTtlMs?: number | undefined;
  /** Of longer answers only status and headers are kept. */
  readonly maxResultBytes?: number | undefined;
  /** Beyond these the oldest are forgotten. */
  readonly maxDeadLetters?: number | undefined;
  /** How long one is kept for somebody to look at. */
  readonly deadLetterTtlMs?: number | undefined;
  /** Where it is told what became of a request: `<statusPath>/<id>`. */
  readonly statusPath?: string | undefined;
  /** How long Redis may take. */
  readonly timeoutMs?: number | undefined;
  /** What becomes of headers that let somebody act for somebody else: not kept, unless it is said. */
  readonly secrets?: Secrets | undefined;
  /** Headers that carry secrets, besides those whose names say so. */
  readonly secretHeaders?: readonly string[] | undefined;
  /** How long `close` waits for attempts that are under way. */
  readonly closeMs?: number | undefined;
}

export const OVERFLOW_DEFAULTS = Object.freeze({
  url: undefined,
  client: undefined,
  name: 'overflow',
  // In braces: one slot, so that it works in a Cluster as well.
  prefix: '{plimsoll}',
  perform: undefined,
  // At 100 ms each 100 a second, more than what is over a limit for long.
  concurrency: 10,
  // The waits before them, 1 + 2 + … + 64 s less a quarter on average, are 95 s: a restart of the service, or a bad
  // deployment that is taken back.
  attempts: 8,
  backoffMs: 1_000,
  // As long as most proxies wait for an answer.
  attemptMs: 30_000,
  // Half of it is the lock, renewed after a quarter: a process that stands still for 2.5 s keeps its requests. A quarter
  // is the time between two looks for expired locks, of which one may be missed.
  takeOverMs: 10_000,
  // Starting takes milliseconds: who is a second late has waited for a process to come back.
  lateMs: 1_000,
  // Forms and JSON; files belong elsewhere, and Redis keeps all of it in memory.
  maxBodyBytes: 65_536,
  // At 2 kB each 20 MB in Redis, at the longest bodies 650 MB.
  maxQueued: 10_000,
  // Who polls does so within minutes; who comes back after lunch finds it.
  resultTtlMs: 3_600_000,
  maxResultBytes: 65_536,
  // With the longest bodies 65 MB.
  maxDeadLetters: 1_000,
  // Found on Friday night, looked at on Monday, mended within the week.
  deadLetterTtlMs: 604_800_000,
  // A name that no application has.
  statusPath: '/.plimsoll/queued',
  // Redis answers within 1 to 2 ms, and within some 30 ms when it syncs each write to a disk. Who will wait for
  // minutes bears half a second, and so rarely gets a 503 for a short pause.
  timeoutMs: 500,
  // What is not there cannot leak. Requests that need it say so.
  secrets: 'drop' as Secrets,
  secretHeaders: Object.freeze([]) as readonly string[],
  // Less than the 30 s that Kubernetes gives a process; what is cut off is performed by another one.
  closeMs: 10_000,
});

export type OverflowSettings = typeof OVERFLOW_DEFAULTS & {
  readonly perform: Perform | undefined;
  readonly keeper: HeaderKeeper;
};

const WHOLE = ['concurrency', 'attempts', 'maxQueued', 'maxDeadLetters', 'resultTtlMs'] as const;
const POSITIVE = [
  'backoffMs',
  'attemptMs',
  'takeOverMs',
  'lateMs',
  'deadLetterTtlMs',
  'timeoutMs',
  'closeMs',
] as const;
const BYTES = ['maxBodyBytes', 'maxResultBytes'] as const;

/** Redis would take 512 MB; JSON in base64 is longer, and such a value stops it for a second. */
const MOST_BYTES = 64 * 1024 * 1024;

export function checkOverflowOptions(options: OverflowQueueOptions): OverflowSettings {
  // A URL by mistake, whose password must not be shown.
  if (typeof options === 'string')
    throw new RangeError('overflow queue must be an object of options, got a text');
  const given = withDefaults(
    'overflow queue',
    OVERFLOW_DEFAULTS as Required<OverflowQueueOptions>,
    options as Partial<Required<OverflowQueueOptions>>,
  ) as OverflowSettings;
  for (const field of WHOLE) checkInteger(field, given[field], 1);
  for (const field of POSITIVE) checkPositive(field, given[field]);
  for (const field of BYTES) checkInteger(field, given[field], 0, MOST_BYTES);
  if (checkName('name', given.name).includes(':')) {
    throw new RangeError(`name must be without a colon, got ${JSON.stringify(given.name)}`);
  }
  if (typeof given.prefix !== 'string' || !/^[\w{}.:-]{1,64}$/.test(given.prefix)) {
    throw new RangeError(
      `prefix must be 1 to 64 of A-Z a-z 0-9 _ . : - { }, got ${JSON.stringify(given.prefix)}`,
    );
  }
  if (typeof given.statusPath !== 'string' || !/^(\/[\w.~-]+)+$/.test(given.statusPath)) {
    throw new RangeError(
      `statusPath must be a path such as /queued, got ${JSON.stringify(given.statusPath)}`,
    );
  }
  if (given.perform !== undefined && typeof given.perform !== 'function') {
    throw new RangeError(`perform must be a function, got ${typeof given.perform}`);
  }
  return { ...given, keeper: new HeaderKeeper(given.secrets, given.secretHeaders) };
}

/** A prefix that keeps all keys in one slot of a Cluster. */
export function hasHashTag(prefix: string): boolean {
  return /\{[^}]+\}/.test(prefix);
}
