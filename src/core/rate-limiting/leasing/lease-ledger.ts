/**
 * What a process says when it wants units to decide upon by itself. It speaks of what it holds, not of what changed, so
 * that an ask whose answer was lost does no harm when the next one comes.
 */
export interface LeaseAsk {
  /** Which process, of its own making and for its life. */
  readonly holder: string;
  /** Grows with each ask of this holder for this key: one that comes late is told apart. */
  readonly turn: number;
  /** How much it would like; 0 if it only says what it holds. */
  readonly wants: number;
  /** How much of it will be used at once, as requests wait for it, and without how much nothing is of use. */
  readonly urgent: number;
  readonly needs: number;
  /** Unused units that it keeps, and those that it gives back. */
  readonly holds: number;
  readonly returns: number;
  /** What was said with the units that it speaks of; 0 if it has none. */
  readonly epochMs: number;
}

/** What one who asked for units was given. */
export interface LeaseGrant {
  readonly granted: number;
  /** They may be used for so long since they were asked for. */
  readonly validMs: number;
  /** To be told back. Units of another epoch than this are void. */
  readonly epochMs: number;
  /** What is left for others, and for later. */
  readonly remaining: number;
  /** When nothing was granted: until there is as much as was needed, if nobody else comes. */
  readonly retryAfterMs: number;
  /** Until all that was granted so far is forgotten. */
  readonly resetMs: number;
}

/** What is known of one key. Numbers first, then holders, so that it fits a hash. */
export interface LeaseState {
  /** Of a bucket its level in grains and latest time; of a window its count and begin. */
  readonly amount: number;
  readonly ms: number;
  readonly holders: ReadonlyMap<string, Holding>;
}

export interface Holding {
  readonly units: number;
  /** Until when they may be used at the latest, by the ledger's clock. */
  readonly untilMs: number;
  readonly turn: number;
}

/**
 * Hands out units in blocks to processes that then decide by themselves, and keeps the bound of its algorithm whatever
 * they do with them: a unit is debited before it can be used, and counts as used from when it is granted until it is
 * given back. What a process that dies still had is spent.
 */
export interface LeaseLedger {
  grant(
    state: LeaseState | undefined,
    now: number,
    ask: LeaseAsk,
  ): { readonly grant: LeaseGrant; readonly state: LeaseState };
}

/** Beyond what is used at once an ask gets a quarter of what is there: the less there is, the less lies idle with somebody. */
const SHARE = 4;

/** The most that an ask gets of so much. */
export function portion(available: number, { wants, urgent, needs }: LeaseAsk): number {
  if (available < Math.max(1, needs)) return 0;
  return Math.min(wants, available, Math.max(urgent, Math.ceil(available / SHARE)));
}
