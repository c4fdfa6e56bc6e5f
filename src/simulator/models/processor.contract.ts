import fc from 'fast-check';
import { evenly } from '../../core/evenly.contract.js';
import { Event } from '../kernel/event.js';
import { Kernel } from '../kernel/kernel.js';
import { Processor, type Work } from './processor.js';

export class Job implements Work {
  workPlace = -1;
  workEnd = 0;
  readonly name: number;
  readonly #then: (job: Job, now: number) => void;

  constructor(name: number, then: (job: Job, now: number) => void) {
    this.name = name;
    this.#then = then;
  }

  onWorkDone(now: number): void {
    this.#then(this, now);
  }
}

export class At extends Event {
  readonly #act: (now: number) => void;

  constructor(act: (now: number) => void) {
    super();
    this.#act = act;
  }

  happen(now: number): void {
    this.#act(now);
  }
}

export type Action =
  | { readonly kind: 'add'; readonly at: number; readonly costMs: number }
  | { readonly kind: 'remove'; readonly at: number; readonly which: number }
  | { readonly kind: 'capacity'; readonly at: number; readonly cores: number; readonly speed: number };

export interface Outcome {
  readonly ends: Map<number, number>;
  readonly undone: Map<number, number>;
  usedMs: number;
  spentMs: number;
}

/** The same rules, one step from event to event at a time, every work's own remaining cost counted down. */
export function reference(actions: readonly Action[], cores: number, speed: number, endMs: number): Outcome {
  const outcome: Outcome = { ends: new Map(), undone: new Map(), usedMs: 0, spentMs: 0 };
  const left = new Map<number, number>();
  let [now, ownCores, ownSpeed] = [0, cores, speed];
  const runTo = (until: number) => {
    for (;;) {
      const rate = left.size === 0 ? 0 : ownSpeed * Math.min(1, ownCores / left.size);
      const least = Math.min(...left.values());
      const end = rate === 0 ? Number.POSITIVE_INFINITY : now + least / rate;
      const next = Math.min(until, end);
      outcome.usedMs += (next - now) * Math.min(left.size, ownCores);
      outcome.spentMs += (next - now) * rate * left.size;
      for (const [name, cost] of left) left.set(name, cost - (next - now) * rate);
      now = next;
      if (end > until) return;
      for (const [name, cost] of left) {
        if (cost > 1e-9) continue;
        left.delete(name);
        outcome.ends.set(name, now);
      }
    }
  };
  for (const [index, action] of actions.entries()) {
    runTo(action.at);
    if (action.kind === 'add') left.set(index, action.costMs);
    else if (action.kind === 'capacity') [ownCores, ownSpeed] = [action.cores, action.speed];
    else {
      outcome.undone.set(index, left.get(action.which) ?? 0);
      left.delete(action.which);
    }
  }
  runTo(endMs);
  return outcome;
}

export function simulate(actions: readonly Action[], cores: number, speed: number, endMs: number): Outcome {
  const outcome: Outcome = { ends: new Map(), undone: new Map(), usedMs: 0, spentMs: 0 };
  const kernel = new Kernel();
  const processor = new Processor(kernel, cores, speed);
  const jobs = new Map<number, Job>();
  const costs = new Map<number, number>();
  const act = (index: number, action: Action) => {
    if (action.kind === 'capacity') {
      processor.setCapacity(action.cores, action.speed);
    } else if (action.kind === 'add') {
      const job = new Job(index, (self, now) => {
        outcome.ends.set(self.name, now);
        outcome.spentMs += costs.get(self.name)!;
      });
      jobs.set(index, job);
      costs.set(index, action.costMs);
      processor.add(job, action.costMs);
    } else {
      const job = jobs.get(action.which);
      const isThere = job !== undefined && job.workPlace >= 0;
      const undone = job === undefined ? 0 : processor.remove(job);
      outcome.undone.set(index, undone);
      if (isThere) outcome.spentMs += costs.get(action.which)! - undone;
    }
  };
  // Ends of an instant come before what is done in it, as in the reference.
  for (const [index, action] of actions.entries()) {
    kernel.at(action.at, new At(() => act(index, action)), 1);
  }
  kernel.runUntil(endMs);
  for (const job of jobs.values()) {
    if (job.workPlace >= 0) outcome.spentMs += costs.get(job.name)! - processor.remove(job);
  }
  outcome.usedMs = processor.usedMs();
  return outcome;
}

const gap = fc.oneof(fc.constant(0), evenly(0.01, 50));

export const anyCores = fc.oneof(fc.constantFrom(0.5, 1, 2, 8), evenly(0.1, 10));

export const anySpeed = evenly(0.25, 4);

const adding = fc.record({
  kind: fc.constant('add' as const),
  gap,
  costMs: fc.oneof(fc.constantFrom(1, 10), evenly(0.01, 200)),
});

export const removing = fc.record({ kind: fc.constant('remove' as const), gap, which: fc.nat(59) });

export const changing = fc.record({
  kind: fc.constant('capacity' as const),
  gap,
  cores: fc.oneof(fc.constant(0), anyCores),
  speed: anySpeed,
});

/** Works that come, and some of what else may happen to them. */
export function anyActions(...more: (typeof removing | typeof changing)[]): fc.Arbitrary<Action[]> {
  const others = more.map((arbitrary) => ({ weight: 1, arbitrary }));
  return fc
    .array(fc.oneof({ weight: 4, arbitrary: adding }, ...others), { maxLength: 60, size: 'max' })
    .map((parts) => {
      let at = 0;
      return parts.map((part): Action => {
        at += part.gap;
        return { ...part, at };
      });
    });
}
