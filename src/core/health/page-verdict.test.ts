import { describe, expect, it } from 'vitest';
import { PageJudge, type PageVerdictOptions, verdictOf } from './page-verdict.js';

/** What the verdict is after each of these answers; a dash for none. */
function verdictsAfter(
  statuses: readonly (number | undefined)[],
  options?: Partial<PageVerdictOptions>,
): string {
  const judge = new PageJudge(options);
  const verdicts: string[] = [];
  for (const status of statuses) {
    judge.learn(verdictOf(status));
    verdicts.push(judge.verdict ?? '-');
  }
  return verdicts.join(' ');
}

it.each([
  [200, 'well'],
  [204, 'well'],
  [299, 'well'],
  [503, 'unwell'],
  [500, 'unwell'],
  [302, 'doubtful'],
  [404, 'doubtful'],
  [429, 'doubtful'],
  [undefined, 'doubtful'],
] as const)('an answer of %s is %s', (status, verdict) => {
  expect(verdictOf(status)).toBe(verdict);
});

describe('a verdict', () => {
  it('needs three bad answers in a row, and two good ones', () => {
    expect(verdictsAfter([200, 503, 503, 200, 503, 503, 503, 200, 503, 200, 200])).toBe(
      'well well well well well well unwell unwell unwell unwell well',
    );
  });

  it('is there with the first good answer, and the first "no": it is starting', () => {
    expect(verdictsAfter([200])).toBe('well');
    expect(verdictsAfter([503, 200, 200])).toBe('unwell unwell well');
  });

  it('takes three in a row where nobody says anything of itself', () => {
    expect(verdictsAfter([undefined, 404, undefined])).toBe('- - doubtful');
    expect(verdictsAfter([undefined, 200])).toBe('- well');
  });

  it('is its own word as soon as that is heard, and until it is well', () => {
    expect(verdictsAfter([404, 404, 404, 503, 404, undefined, undefined])).toBe(
      '- - doubtful unwell unwell unwell unwell',
    );
    // What it said before it was well again is over.
    expect(verdictsAfter([200, 503, 200, 404, 404, 404])).toBe('well well well well well doubtful');
  });

  it('comes by as many answers as are wanted', () => {
    expect(verdictsAfter([200, undefined, 200], { unhealthyAfter: 1, healthyAfter: 1 })).toBe(
      'well doubtful well',
    );
  });

  it('is told when it changes', () => {
    const judge = new PageJudge();
    const told = [200, 200, 404, 404, 404, 404, 503].map((status) => judge.learn(verdictOf(status)));
    expect(told).toEqual(['well', undefined, undefined, undefined, 'doubtful', undefined, 'unwell']);
  });
});

it('is in doubt until it is known, and when an answer speaks against it', () => {
  const judge = new PageJudge();
  const doubts = [judge.isInDoubt];
  for (const status of [200, 503, 503, 503, 200, 200]) {
    judge.learn(verdictOf(status));
    doubts.push(judge.isInDoubt);
  }
  expect(doubts).toEqual([true, false, true, true, false, true, false]);
});

it('refuses impossible options by name', () => {
  expect(() => new PageJudge({ unhealthyAfter: 0 })).toThrow('unhealthyAfter must be an integer >= 1, got 0');
  expect(() => new PageJudge({ healthyAfter: 1.5 })).toThrow('healthyAfter must be an integer >= 1, got 1.5');
  expect(() => new PageJudge({ after: 1 } as object)).toThrow('pageVerdict has no option "after"');
});
