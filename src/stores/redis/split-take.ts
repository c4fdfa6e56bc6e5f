import type { RateDecision } from '../../core/index.js';
import type { TakeAnswer } from '../rate-store.js';
import type { TakeEntry } from './take-batch.js';

/** Entries of one request that are in one slot, and where they stand in the request. */
export interface TakePart {
  readonly slot: number;
  readonly entries: readonly TakeEntry[];
  readonly places: readonly number[];
}

export interface PartStore {
  take(slot: number, entries: readonly TakeEntry[]): Promise<TakeAnswer>;
  /** Gives back what is certainly still there; says how each stands then. */
  undo(entries: readonly TakeEntry[], takenAtMs: number): Promise<readonly RateDecision[]>;
}

export function partsBySlot(entries: readonly TakeEntry[], slotOf: (key: string) => number): TakePart[] {
  const parts = new Map<number, { slot: number; entries: TakeEntry[]; places: number[] }>();
  for (const [place, entry] of entries.entries()) {
    const slot = slotOf(entry.key);
    const part = parts.get(slot) ?? { slot, entries: [], places: [] };
    part.entries.push(entry);
    part.places.push(place);
    parts.set(slot, part);
  }
  return [...parts.values()];
}

/**
 * A request whose rules are in several slots of a Cluster, which no script can decide together. Each slot takes at once, and
 * what it took is the reservation: if all pass, there is nothing more to do. If one refuses, the others give back what is
 * certainly still there. One that cannot be asked keeps nobody from deciding: a rule is not switched off by the failure
 * of a node that it is not on.
 *
 * Meanwhile others may be refused who would have passed, and what cannot be given back is lost until it expires. But at no
 * time does more pass than the limits say.
 */
export async function takeParts(store: PartStore, parts: readonly TakePart[]): Promise<TakeAnswer> {
  const taken = await Promise.allSettled(parts.map(({ slot, entries }) => store.take(slot, entries)));
  const answers = taken.map((each) => (each.status === 'fulfilled' ? each.value : undefined));
  const decided = answers.filter((answer) => answer !== undefined);
  const failed = taken.find((each) => each.status === 'rejected');
  if (decided.length === 0) throw failed!.reason;
  const allowed = decided.every((answer) => answer.allowed);
  const decisions: RateDecision[] = [];
  await Promise.all(
    parts.map(async ({ entries, places }, part) => {
      const answer = answers[part];
      const reported =
        answer === undefined
          ? entries.map(noDecision)
          : allowed
            ? answer.decisions
            : await undone(store, entries, answer);
      for (const [i, place] of places.entries()) decisions[place] = reported[i]!;
    }),
  );
  // Nodes have clocks of their own. By the earliest, less is given back later rather than more.
  const takenAtMs = Math.min(...decided.map((answer) => answer.takenAtMs));
  if (failed === undefined) return { allowed, decisions, takenAtMs };
  const undecided = parts.flatMap(({ places }, part) => (answers[part] === undefined ? places : []));
  return { allowed, decisions, takenAtMs, undecided };
}

function noDecision({ rule: { limit } }: TakeEntry): RateDecision {
  return { allowed: true, limit, remaining: 0, resetMs: 0, retryAfterMs: 0 };
}

async function undone(
  store: PartStore,
  entries: readonly TakeEntry[],
  { allowed, decisions, takenAtMs }: TakeAnswer,
): Promise<readonly RateDecision[]> {
  // A part that refused took nothing.
  if (!allowed) return decisions;
  const took = entries.filter(({ cost }, i) => cost > 0 && decisions[i]!.allowed);
  if (took.length === 0) return decisions;
  try {
    const stand = await store.undo(took, takenAtMs);
    return entries.map((entry, i) => stand[took.indexOf(entry)] ?? decisions[i]!);
  } catch {
    // It stays taken, and is reported so.
    return decisions;
  }
}
