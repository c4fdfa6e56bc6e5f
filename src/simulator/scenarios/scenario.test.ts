import { beforeAll, describe, expect, it } from 'vitest';
import type { Panel } from '../report/figure.js';
import { SCENARIOS } from './index.js';
import type { Progress, ScenarioRun } from './scenario.js';

describe('the built-in scenarios', () => {
  it('have names of their own', () => {
    const names = SCENARIOS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(SHORT.length).toBe(SCENARIOS.length - LONG.length);
  });
});

/**
 * Seconds each: these run once, in their own tests, or by the command line if those run only a part (scripts/scenarios.mjs). That
 * fleets repeat themselves is tested there.
 */
const LONG = [
  'prequal-rules',
  'prequal-ramp',
  'sinkhole',
  'throttling',
  'retry-amplification',
  'plateau',
  'call-tree',
  'no-ratchet',
  'quota-fleet',
  'quota-outage',
];
const SHORT = SCENARIOS.filter(({ name }) => !LONG.includes(name));

/** What everybody who prints, draws or compares results relies on. Each runs three times: a loaded machine needs a while. */
describe.each(SHORT)('scenario $name', { timeout: 60_000 }, (scenario) => {
  const told: Progress[] = [];
  let run: ScenarioRun;
  beforeAll(() => {
    run = scenario.run({ seed: 0, onProgress: (progress) => told.push(progress) });
  }, 60_000);

  it('says what it is, and what it ran', () => {
    expect(scenario.claim).toMatch(/^\S.+$/);
    expect(Object.keys(run.result).sort()).toEqual(['checks', 'options', 'rows', 'scenario', 'seed']);
    expect([run.result.scenario, run.result.seed]).toEqual([scenario.name, 0]);
  });

  it('checks something, and it holds', () => {
    const names = run.result.checks.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
    expect(run.result.checks.filter(({ holds }) => !holds)).toEqual([]);
  });

  it('has flat rows', () => {
    expect(run.result.rows.length).toBeGreaterThan(0);
    for (const value of run.result.rows.flatMap((row) => Object.values(row))) {
      expect(value === null || ['string', 'number', 'boolean'].includes(typeof value)).toBe(true);
    }
  });

  it('is plain data that JSON can carry: no NaN, Infinity or undefined', () => {
    expect(JSON.parse(JSON.stringify(run))).toStrictEqual(run);
  });

  it('has figures with a title, a caption, and a value for each category', () => {
    for (const { title, caption, panels } of run.figures) {
      expect([title, caption]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
      expect(panels.length).toBeGreaterThan(0);
      expect(panels.filter((panel) => !isComplete(panel))).toEqual([]);
    }
  });

  it('tells its progress, forwards, from more than 0 to 1', () => {
    const shares = told.map(({ share }) => share);
    const events = told.map((progress) => progress.events);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(events).toEqual(events.toSorted((a, b) => a - b));
    expect(shares[0]).toBeGreaterThan(0);
    expect(shares.at(-1)).toBe(1);
  });

  it('gives the same for the same seed, watched or not', () => {
    expect(scenario.run({ seed: 0 })).toStrictEqual(run);
  });

  it('holds with another seed, too', () => {
    const other = scenario.run({ seed: 1 });
    expect(other.result.checks.filter(({ holds }) => !holds)).toEqual([]);
    expect(other.result.seed).toBe(1);
    expect(other.result.rows).not.toEqual(run.result.rows);
  });
});

function isComplete(panel: Panel): boolean {
  if (panel.kind === 'lines') {
    return panel.lines.length > 0 && panel.lines.every(({ points }) => points.length > 0);
  }
  const count = panel.x.categories.length;
  return count > 0 && panel.bars.length > 0 && panel.bars.every(({ values }) => values.length === count);
}
