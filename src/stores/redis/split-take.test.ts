import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createInPlaceAlgorithm,
  type InPlaceAlgorithm,
  peekAt,
  type RateDecision,
} from '../../core/index.js';
import type { TakeAnswer } from '../rate-store.js';
import { createRateRule } from '../rate-store.js';
import { ruleCode } from './rule-code.js';
import { type PartStore, partsBySlot, takeParts } from './split-take.js';
import type { TakeEntry } from './take-batch.js';

const RULE = ruleCode(createRateRule('r', { algorithm: 'gcra', limit: 5, windowMs: 5_000 }));
const entry = (key: string, cost = 1, isShadow = false): TakeEntry => ({ rule: RULE, key, cost, isShadow });
const slotOf = (key: string) => key.charCodeAt(0);

/** Slots as nodes that decide each for itself, and can fail. */
class Nodes implements PartStore {
  readonly states = new Map<string, number[]>();
  readonly undone: string[] = [];
  readonly isGone = new Set<number>();
  canUndo = true;
  now = 1_000_000;
  readonly #algorithm: InPlaceAlgorithm = createInPlaceAlgorithm(RULE.rule.options);

  async take(slot: number, entries: readonly TakeEntry[]): Promise<TakeAnswer> {
    if (this.isGone.has(slot)) throw new Error('node is gone');
    const seen = entries.map(({ key, cost }) => this.look(key, cost).allowed);
    const allowed = entries.every(({ isShadow }, i) => isShadow || seen[i]!);
    const decisions = entries.map(({ key, cost }, i) => {
      const taken = allowed || !seen[i]! ? cost : 0;
      return this.#algorithm.takeAt(this.#state(key), 0, this.now, taken);
    });
    return { allowed, decisions, takenAtMs: this.now + slot };
  }

  async undo(entries: readonly TakeEntry[], takenAtMs: number): Promise<readonly RateDecision[]> {
    if (!this.canUndo) throw new Error('cannot undo');
    return entries.map(({ key, cost }) => {
      this.undone.push(key);
      this.#algorithm.undoAt(this.#state(key), 0, this.now, cost, takenAtMs);
      return this.look(key, 0);
    });
  }

  look(key: string, cost: number): RateDecision {
    return peekAt(this.#algorithm, this.#state(key), 0, this.now, cost);
  }

  remaining(key: string): number {
    return this.look(key, 0).remaining;
  }

  #state(key: string): number[] {
    const state = this.states.get(key) ?? [0, 0];
    this.states.set(key, state);
    return state;
  }
}

const take = (nodes: Nodes, entries: readonly TakeEntry[]) => takeParts(nodes, partsBySlot(entries, slotOf));

describe('takeParts', () => {
  it('takes from all slots when all pass, and tells in the order in which it was asked', async () => {
    const nodes = new Nodes();
    const answer = await take(nodes, [entry('a1', 1), entry('b', 2), entry('a2', 3)]);
    expect(answer.allowed).toBe(true);
    expect(answer.decisions.map(({ remaining }) => remaining)).toEqual([4, 3, 2]);
    // Nodes have clocks of their own: the earliest.
    expect(answer.takenAtMs).toBe(nodes.now + 97);
    expect(nodes.undone).toEqual([]);
  });

  it('gives back what others took when one refuses, and says how it stands then', async () => {
    const nodes = new Nodes();
    const answer = await take(nodes, [entry('a'), entry('b', 6), entry('c', 2), entry('c0', 0)]);
    expect(answer.allowed).toBe(false);
    expect(answer.decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 5],
      [false, 5],
      [true, 5],
      [true, 5],
    ]);
    expect(nodes.undone.sort()).toEqual(['a', 'c']);
  });

  it('does not let one in shadow keep others from passing, nor itself take when they do not', async () => {
    const nodes = new Nodes();
    expect((await take(nodes, [entry('a'), entry('b', 6, true)])).allowed).toBe(true);
    expect((await take(nodes, [entry('a', 6), entry('b', 2, true)])).allowed).toBe(false);
    expect([nodes.remaining('a'), nodes.remaining('b')]).toEqual([4, 5]);
  });

  it('says which it could not ask, and decides the others', async () => {
    const nodes = new Nodes();
    nodes.isGone.add(slotOf('b'));
    expect(await take(nodes, [entry('a'), entry('b')])).toMatchObject({ allowed: true, undecided: [1] });
    expect(nodes.remaining('a')).toBe(4);
    await take(nodes, [entry('a', 4)]);
    expect(await take(nodes, [entry('b'), entry('a'), entry('c')])).toMatchObject({
      allowed: false,
      undecided: [0],
      decisions: [{ allowed: true }, { allowed: false }, { remaining: 5 }],
    });
    expect(nodes.remaining('c')).toBe(5);
  });

  it('fails when it could ask nobody', async () => {
    const nodes = new Nodes();
    nodes.isGone.add(slotOf('a')).add(slotOf('b'));
    await expect(take(nodes, [entry('a'), entry('b')])).rejects.toThrow('node is gone');
  });

  it('answers all the same when nothing can be given back: it stays taken', async () => {
    const nodes = new Nodes();
    nodes.canUndo = false;
    const answer = await take(nodes, [entry('a', 2), entry('b', 6)]);
    expect([answer.allowed, answer.decisions[0]!.remaining, nodes.remaining('a')]).toEqual([false, 3, 3]);
  });

  it('never lets through more than a limit, whatever fails', async () => {
    const step = fc.record({
      costs: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 4 }),
      gone: fc.option(fc.constantFrom('a', 'b', 'c', 'd')),
      canUndo: fc.boolean(),
      gapMs: fc.constantFrom(0, 0, 1, 700),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const nodes = new Nodes();
        const began = nodes.now;
        const passed = new Map<string, number>();
        for (const { costs, gone, canUndo, gapMs } of steps) {
          nodes.now += gapMs;
          nodes.canUndo = canUndo;
          nodes.isGone.clear();
          if (gone !== null) nodes.isGone.add(slotOf(gone));
          const entries = costs.map((cost, i) => entry('abcd'[i]!, cost));
          const answer = await take(nodes, entries).catch(() => undefined);
          if (answer?.allowed !== true) continue;
          for (const [place, { key, cost }] of entries.entries()) {
            if (!answer.undecided?.includes(place)) passed.set(key, (passed.get(key) ?? 0) + cost);
          }
        }
        // Five at once, and one each second.
        const most = 5 + (nodes.now - began) / 1_000;
        for (const sum of passed.values()) expect(sum).toBeLessThanOrEqual(most);
      }),
    );
  });
});
