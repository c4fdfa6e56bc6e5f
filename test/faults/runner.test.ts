import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FAULTS } from './catalogue.js';
import { atLeast, atMost, type Fault, type Finding, kept, NotPossible, none } from './fault.js';
import { intoPage, tableOf } from './page.js';
import { readMachine, rowsOf } from './report.js';
import { runFault, runFaults } from './run-faults.js';
import { Stage } from './stage.js';

const aFault = (run: Fault['run'], withinSeconds = 10): Fault => ({
  name: 'sample',
  what: 'something',
  withinSeconds,
  run,
});

const finding = (...findings: Finding[]): Fault => aFault(async () => findings);

describe('a fault', () => {
  it.each<[string, Fault, object]>([
    ['keeps what it promised', finding(kept('a', 'b', true)), { verdict: 'holds' }],
    ['breaks a promise', finding(kept('a', 'b', true), kept('c', 'd', false)), { verdict: 'broken' }],
    ['has measured nothing', finding(), { verdict: 'broken', why: 'nothing was measured' }],
    [
      'goes wrong',
      aFault(() => Promise.reject(new Error('no such thing'))),
      { verdict: 'broken', why: 'no such thing' },
    ],
    [
      'cannot be tried',
      aFault(() => Promise.reject(new NotPossible('needs root'))),
      { verdict: 'not possible here', why: 'needs root' },
    ],
    [
      'does not end',
      aFault(() => new Promise<never>(() => {}), 0.05),
      { verdict: 'broken', why: 'not over within 0.05 s' },
    ],
  ])('that %s is told of as that', async (_, fault, expected) => {
    expect(await runFault(fault)).toMatchObject({ fault: 'sample', what: 'something', ...expected });
  });

  it('leaves nothing behind, the last that was started ended first, whatever happens', async () => {
    const ended: string[] = [];
    const fault = aFault(async (stage) => {
      stage.own('first', (name) => ended.push(name));
      await stage.start({ stop: () => Promise.reject(new Error('stuck')) });
      stage.own('last', (name) => ended.push(name));
      throw new Error('in the middle');
    });
    expect((await runFault(fault)).verdict).toBe('broken');
    expect(ended).toEqual(['last', 'first']);
  });

  it('comes after the one before', async () => {
    const order: string[] = [];
    const slow = aFault(async () => {
      await sleep(20);
      order.push('slow');
      return [kept('a', 'b', true)];
    });
    const quick = aFault(async () => {
      order.push('quick');
      return [kept('a', 'b', true)];
    });
    await runFaults([slow, quick]);
    expect(order).toEqual(['slow', 'quick']);
  });
});

describe('a finding', () => {
  it('holds by its number', () => {
    expect(atMost('wait', 1.5, 1.5, 's')).toEqual(kept('wait: at most 1.5 s', '1.5 s', true));
    expect(atMost('wait', 1.6, 1.5).holds).toBe(false);
    expect(atMost('wait', Number.POSITIVE_INFINITY, 1.5).holds).toBe(false);
    expect(atMost('wait', Number.NaN, 1.5).holds).toBe(false);
    expect(atLeast('share', 98.9, 99, '%').holds).toBe(false);
    expect(none('failed', 0, 20)).toEqual(kept('failed: none', '0 of 20', true));
    expect(none('failed', 1, 20).holds).toBe(false);
    // None of nothing proves nothing.
    expect(none('failed', 0, 0).holds).toBe(false);
  });
});

describe('the page', () => {
  const outcomes = [
    {
      fault: 'a',
      what: 'x | y',
      verdict: 'holds',
      findings: [kept('p', '1', true), kept('q', '2', true)],
      seconds: 30,
    },
    { fault: 'b', what: 'z', verdict: 'not possible here', findings: [], why: 'needs root', seconds: 0 },
    { fault: 'c', what: 'w', verdict: 'broken', findings: [], why: 'not over within 5 s', seconds: 5 },
  ] as const;

  it('has a row for each promise, and for what could not be tried', () => {
    expect(rowsOf(outcomes)).toEqual([
      ['a', 'x | y', 'p', '1', 'yes'],
      ['', '', 'q', '2', 'yes'],
      ['b', 'z', '–', 'needs root', 'not possible here'],
      ['c', 'w', 'it comes to its end', 'not over within 5 s', '**no**'],
    ]);
    expect(tableOf(readMachine(), outcomes)).toContain('| a | x \\| y | p | 1 | yes |');
  });

  it('is written where there is a place for it, as often as one likes', () => {
    const page = [
      'before',
      '<!-- written by npm run faults -- --write -->',
      'old',
      '<!-- end of what is written -->',
      'after',
    ];
    const once = intoPage(page.join('\n'), 'new');
    expect(once).not.toContain('old');
    expect(once).toMatch(/^before\n[\s\S]*\nnew\n[\s\S]*\nafter$/);
    expect(intoPage(once, 'new')).toBe(once);
    expect(() => intoPage('no place', 'new')).toThrow('no place for a table');
  });
});

describe('the catalogue', () => {
  it('has names that are words of a command line, each once, and an end for each', () => {
    const names = FAULTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, what, withinSeconds } of FAULTS) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(what.length).toBeGreaterThan(20);
      expect(withinSeconds).toBeLessThanOrEqual(120);
    }
  });

  // Cheap ones, in earnest: the others are for `npm run faults`.
  it.each(['redis-restarted-empty', 'gateway-file-garbage'])('has %s, which holds', async (name) => {
    const { verdict, findings, why } = await runFault(FAULTS.find((fault) => fault.name === name)!);
    expect(why).toBeUndefined();
    expect(findings.filter(({ holds }) => !holds)).toEqual([]);
    expect(verdict).toBe('holds');
  });
});

describe('a stage', () => {
  it('says what did not end in a word, and goes on', async () => {
    const stage = new Stage('sample');
    stage.own(undefined, () => {
      throw new Error('at once');
    });
    await expect(stage.strike()).resolves.toBeUndefined();
  });
});
