import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Take, WaitingTakes } from './waiting-takes.js';

/** Units that are there, and what was wanted in all. */
class Purse {
  units = 0;
  wanted = 0;
  spent = 0;
  readonly take: Take = (cost, isNew) => {
    if (isNew) this.wanted += cost;
    if (this.units < cost) return { allowed: false, retryAfterMs: 10 };
    this.units -= cost;
    this.spent += cost;
    return { allowed: true, retryAfterMs: 0 };
  };
}

async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await Promise.resolve();
}

describe('those who wait for capacity', () => {
  it('pass at once while there is some', async () => {
    const purse = new Purse();
    purse.units = 2;
    const takes = new WaitingTakes(purse.take, 1);
    await takes.take(2, undefined);
    expect([takes.size, takes.cost, purse.units]).toEqual([0, 0, 0]);
  });

  it('are served in order, and no cheaper one passes a dearer', async () => {
    const purse = new Purse();
    const takes = new WaitingTakes(purse.take, 10);
    const passed: string[] = [];
    void takes.take(5, undefined).then(() => passed.push('dear'));
    purse.units = 3;
    void takes.take(2, undefined).then(() => passed.push('cheap'));
    expect(takes.tryTake(1)).toEqual({ allowed: false, retryAfterMs: 10 });
    await settled();
    expect([passed, takes.cost]).toEqual([[], 7]);
    // All that there was is paid towards the first by now.
    expect(purse.units).toBe(0);
    purse.units = 2;
    expect(takes.serve()).toBe(10);
    await settled();
    expect(passed).toEqual(['dear']);
    purse.units = 2;
    expect(takes.serve()).toBeUndefined();
    await settled();
    expect(passed).toEqual(['dear', 'cheap']);
    expect(purse.wanted).toBe(8);
  });

  it('are not too many', async () => {
    const takes = new WaitingTakes(new Purse().take, 1);
    const first = takes.take(1, undefined);
    await expect(takes.take(1, undefined)).rejects.toMatchObject({
      code: 'PLIMSOLL_LIMITED',
      retry: 'later',
      retryAfterMs: 10,
    });
    takes.close();
    await expect(first).rejects.toMatchObject({ code: 'PLIMSOLL_LIMITED', retry: 'no' });
    expect(takes.size).toBe(0);
  });

  it('may give up, and those behind them go on', async () => {
    const purse = new Purse();
    const takes = new WaitingTakes(purse.take, 10);
    const stop = new AbortController();
    const first = takes.take(5, stop.signal);
    const second = takes.take(3, undefined);
    stop.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    purse.units = 3;
    expect(takes.serve()).toBeUndefined();
    await second;
    await expect(takes.take(1, stop.signal)).rejects.toThrow('enough');
  });

  it('spend what passes, never more than there was, in order', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ earn: fc.integer({ min: 1, max: 5 }) }),
        fc.record({ cost: fc.integer({ min: 0, max: 6 }) }),
      ),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const purse = new Purse();
        const takes = new WaitingTakes(purse.take, 100);
        const [asked, passed]: [number[], number[]] = [[], []];
        let earned = 0;
        for (const step of list) {
          if ('earn' in step) {
            purse.units += step.earn;
            earned += step.earn;
            takes.serve();
          } else {
            asked.push(step.cost);
            void takes.take(step.cost, undefined).then(() => passed.push(step.cost));
          }
          await settled();
          expect(passed).toEqual(asked.slice(0, passed.length));
          const used = passed.reduce((sum, cost) => sum + cost, 0);
          expect(used).toBeLessThanOrEqual(earned);
          expect(purse.wanted).toBe(asked.reduce((sum, cost) => sum + cost, 0));
        }
        // With enough, everyone passes, and exactly that is spent.
        purse.units += 1_000;
        takes.serve();
        await settled();
        expect(passed).toEqual(asked);
        expect(purse.spent).toBe(asked.reduce((sum, cost) => sum + cost, 0));
      }),
      { numRuns: 50 },
    );
  });
});
