import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RANKS, RankLine } from './rank-line.js';

const plainly = (_top: number, _rank: number, limit: number) => limit;
const { POSITIVE_INFINITY } = Number;

/** What is granted by rank below a line. */
function grants(line: RankLine, isOver: boolean, demands: readonly number[]): number[] {
  return demands.map((demand, rank) => {
    if (!isOver || rank > line.rank) return demand;
    return rank === line.rank ? Math.min(demand, line.room) : 0;
  });
}

describe('RankLine', () => {
  it('never grants more than a limit, refuses a rank only below all it could grant, and wastes nothing', () => {
    const step = fc.constantFrom(0, 5, 50, 500, POSITIVE_INFINITY);
    const demands = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: RANKS, maxLength: RANKS });
    fc.assert(
      fc.property(fc.array(step, { minLength: RANKS, maxLength: RANKS }), demands, (limits, wanted) => {
        const line = new RankLine();
        const isOver = line.draw(limits, wanted, plainly);
        const granted = grants(line, isOver, wanted);
        const upTo = (top: number) => granted.slice(0, top + 1).reduce((sum, each) => sum + each, 0);
        for (let top = 0; top < RANKS; top++) expect(upTo(top)).toBeLessThanOrEqual(limits[top]!);
        if (!isOver) expect(granted).toEqual(wanted);
        // Some limit that holds for the partial rank is used up.
        else expect(limits.some((limit, top) => top >= line.rank && upTo(top) >= limit)).toBe(true);
      }),
    );
  });

  it('says what is left for the rank that does not fit', () => {
    const line = new RankLine();
    expect(line.draw([POSITIVE_INFINITY, 40, POSITIVE_INFINITY, 100], [50, 30, 20, 10], plainly)).toBe(true);
    expect(line).toMatchObject({ rank: 0, room: 10 });
    expect(
      line.draw([POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 0], [0, 0, 0, 0], plainly),
    ).toBe(true);
    expect(line).toMatchObject({ rank: 3, room: 0 });
  });

  it('lets pass what just fits', () => {
    const line = new RankLine();
    const limits = [POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 100];
    expect(line.draw(limits, [40, 30, 20, 10], plainly)).toBe(false);
    // Nothing is left for those below it, if any came.
    expect(line.draw(limits, [0, 70, 20, 10], plainly)).toBe(true);
    expect(line).toMatchObject({ rank: 0, room: 0, isFelt: false });
  });
});
