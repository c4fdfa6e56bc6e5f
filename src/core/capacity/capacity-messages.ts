/** How much is wanted at one priority, and by how many: a server that passes leases on asks for many. */
export interface CapacityBand {
  /** What is wanted at a higher one is served first. */
  readonly priority: number;
  readonly wants: number;
  readonly subclients: number;
}

/**
 * What a client says each time it refreshes its lease. It speaks of what it has and not of what changed, so that an ask or
 * an answer that is lost does no harm when the next one comes.
 */
export interface CapacityAsk {
  /** A name belongs to one process at a time; who takes its place (a new master, a restart) may go on by it. */
  readonly client: string;
  /** Made anew whenever that process starts. */
  readonly life: string;
  /** Grows with each ask of a life: one that comes late is told apart. */
  readonly turn: number;
  /** What it may use or has passed on at this moment by earlier leases of this life, and no more until the answer. */
  readonly has: number;
  /** At most one for each priority. */
  readonly bands: readonly CapacityBand[];
}

/** Durations only: the clocks of two machines need not agree. */
export interface CapacityGrant {
  /** In units a second, or whatever else is shared. */
  readonly capacity: number;
  /** It holds for so long since it was asked for. */
  readonly validMs: number;
  /** When to ask again. */
  readonly refreshMs: number;
  /** What to use once it no longer holds, while nobody answers. */
  readonly safeCapacity: number;
  /** What earlier lives of the client may still have passed on, at the most. undefined: who knows. */
  readonly inherited: number | undefined;
}

/** Gives back all that a life has. */
export interface CapacityRelease {
  readonly client: string;
  readonly life: string;
}

export const MOST_PRIORITY = 9;

/** A million clients below one server: the sums of all its clients' stay exact. */
export const MOST_SUBCLIENTS = 1_000_000;

/** More than any resource has; sums of thousands of these are still finite and have digits left. */
export const MOST_CAPACITY = 1e15;

/** Nobody leases for longer than a day. */
export const MOST_MS = 86_400_000;

const MOST_NAME_LENGTH = 256;

/** An ask as it came from outside, or undefined if it is none. */
export function readCapacityAsk(value: unknown): CapacityAsk | undefined {
  const { turn, has, bands } = fieldsOf(value);
  const who = readCapacityRelease(value);
  if (who === undefined || !isWhole(turn, 1, Number.MAX_SAFE_INTEGER)) return undefined;
  if (!isWithin(has, MOST_CAPACITY)) return undefined;
  if (!Array.isArray(bands) || bands.length > MOST_PRIORITY + 1) return undefined;
  const read = bands.map(readBand).filter((band) => band !== undefined);
  const priorities = new Set(read.map(({ priority }) => priority));
  return priorities.size === bands.length ? { ...who, turn, has, bands: read } : undefined;
}

/** What gives a lease back, or undefined for what is no such message. */
export function readCapacityRelease(value: unknown): CapacityRelease | undefined {
  const { client, life } = fieldsOf(value);
  return isName(client) && isName(life) ? { client, life } : undefined;
}

/** An answer as it came from outside, or undefined if it is none. */
export function readCapacityGrant(value: unknown): CapacityGrant | undefined {
  const { capacity, validMs, refreshMs, safeCapacity, inherited } = fieldsOf(value);
  if (!isWithin(capacity, MOST_CAPACITY) || !isWithin(safeCapacity, MOST_CAPACITY)) return undefined;
  if (!isWithin(validMs, MOST_MS) || !isWithin(refreshMs, MOST_MS)) return undefined;
  if (inherited !== undefined && !isWithin(inherited, MOST_CAPACITY)) return undefined;
  return { capacity, validMs, refreshMs, safeCapacity, inherited };
}

function readBand(value: unknown): CapacityBand | undefined {
  const { priority, wants, subclients } = fieldsOf(value);
  if (!isWhole(priority, 0, MOST_PRIORITY) || !isWithin(wants, MOST_CAPACITY)) return undefined;
  return isWhole(subclients, 1, MOST_SUBCLIENTS) ? { priority, wants, subclients } : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isWithin(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= most;
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MOST_NAME_LENGTH;
}
