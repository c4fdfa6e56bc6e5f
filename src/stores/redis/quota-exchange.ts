import { keyName } from './key-names.js';
import type { RedisLink } from './redis-link.js';
import { loadScript } from './redis-script.js';

const REPORT = loadScript('quota-report.lua');
const READ = loadScript('quota-read.lua');
const NAMES = loadScript('quota-names.lua');
const PUBLISH = loadScript('quota-publish.lua');

/** Of a thousand customers 2 MB: Redis is held up for a few milliseconds, and others get their turn in between. */
const MOST_READ = 64;

/** Reports are of use for a second. Who comes back sends everything anew. */
const REPORTS_TTL_MS = 60_000;

/** Longer than a deployment: who starts then knows how many others there were. */
const LEVELS_TTL_MS = 300_000;

/** Which levels somebody knows; the token is that of the coordinator's term. */
export interface KnownLevels {
  readonly token: number;
  readonly sequence: number;
}

export interface ReportSent {
  readonly backend: string;
  readonly values: Uint8Array;
  readonly namesVersion: number;
  /** undefined: Redis should have them. */
  readonly names: Uint8Array | undefined;
  readonly known: KnownLevels | undefined;
}

export interface ReportAnswer {
  readonly areNamesMissing: boolean;
  /** Others than those that are known. */
  readonly levels: StoredLevels | undefined;
}

export interface StoredLevels {
  readonly bytes: Uint8Array;
  /** Since they were published. Infinity: nobody knows. */
  readonly ageMs: number;
}

export interface ReportRow {
  readonly backend: string;
  readonly ageMs: number;
  readonly values: Uint8Array;
}

/** A part of what is new. */
export interface ReportPage {
  /** To go on from. */
  readonly since: string;
  readonly hasMore: boolean;
  readonly rows: readonly ReportRow[];
  /** As last published by whoever was coordinator. undefined: nobody was. */
  readonly published: { readonly token: number; readonly backends: number } | undefined;
}

export interface PublishedLevels extends KnownLevels {
  readonly backends: number;
  /** For whoever asks. */
  readonly bytes: Uint8Array;
  /** For whoever listens. undefined: the same. */
  readonly pushed?: Uint8Array | undefined;
}

/**
 * Where the backends of a service and its coordinator leave word for each other. Bytes only: what they mean is the
 * business of those two. Ages are by the clock of Redis alone.
 */
export class RedisQuotaExchange {
  readonly channel: string;
  readonly #link: Pick<RedisLink, 'runBuffer'>;
  readonly #keys: readonly string[];

  constructor(link: Pick<RedisLink, 'runBuffer'>, prefix: string, service: string) {
    this.#link = link;
    // The braces keep them together on a Cluster.
    this.#keys = [':seen', ':values', ':names', ':levels'].map((part) => keyName(prefix, service, part));
    this.channel = keyName(prefix, service, ':pushed');
  }

  async report({ backend, values, namesVersion, names, known }: ReportSent): Promise<ReportAnswer> {
    const reply = await this.#link.runBuffer(REPORT, this.#keys, [
      backend,
      bufferOf(values),
      namesVersion,
      names === undefined ? '' : bufferOf(names),
      known?.token ?? '',
      known?.sequence ?? '',
      REPORTS_TTL_MS,
    ]);
    const [isMissing, levels, age] = listOf(reply, 3);
    const bytes = bytesOf(levels);
    const ageMs = numberOf(age) ?? Number.POSITIVE_INFINITY;
    return { areNamesMissing: isMissing === 1, levels: bytes.length === 0 ? undefined : { bytes, ageMs } };
  }

  /** What came after `since` ('0': everything that is there), oldest first. Drops who has been silent for so long. */
  async read(since: string, dropMs: number): Promise<ReportPage> {
    const reply = listOf(await this.#link.runBuffer(READ, this.#keys, [since, MOST_READ, dropMs]), 4);
    const rows: ReportRow[] = [];
    for (let at = 4; at + 2 < reply.length; at += 3) {
      const backend = bytesOf(reply[at]).toString();
      rows.push({ backend, ageMs: Number(reply[at + 1]), values: bytesOf(reply[at + 2]) });
    }
    const [token, backends] = [numberOf(reply[2]), numberOf(reply[3])];
    return {
      since: bytesOf(reply[0]).toString(),
      hasMore: reply[1] === 1,
      rows,
      published: token === undefined || backends === undefined ? undefined : { token, backends },
    };
  }

  /** Whose numbers these backends report, in their order. */
  async names(backends: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    const found: (Uint8Array | undefined)[] = [];
    for (let at = 0; at < backends.length; at += MOST_READ) {
      const part = backends.slice(at, at + MOST_READ);
      const reply = listOf(await this.#link.runBuffer(NAMES, this.#keys, part), part.length);
      for (const names of reply) found.push(bytesOf(names).length === 0 ? undefined : bytesOf(names));
    }
    return found;
  }

  /** Resolves with false if a later coordinator has spoken. */
  async publish({ token, sequence, backends, bytes, pushed = bytes }: PublishedLevels): Promise<boolean> {
    const other = pushed === bytes ? '' : bufferOf(pushed);
    const args = [token, sequence, backends, bufferOf(bytes), this.channel, LEVELS_TTL_MS, other];
    return (await this.#link.runBuffer(PUBLISH, this.#keys, args)) === 1;
  }
}

/** The client sends Buffers as they are, and other arrays as text. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function listOf(reply: unknown, least: number): readonly unknown[] {
  if (Array.isArray(reply) && reply.length >= least) return reply;
  throw new Error(`Redis answered something else than ${least} values`);
}

function bytesOf(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  throw new Error('Redis answered something else than bytes');
}

/** What others have written there may be no number. */
function numberOf(value: unknown): number | undefined {
  const text = bytesOf(value).toString();
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}
