import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { simulate } from '../../../src/cli/simulate.js';
import { SIMULATIONS } from '../../../src/simulations/simulations.js';
import { SCENARIOS } from '../../../src/simulator/scenarios/index.js';
import { answer } from './answer.js';
import { EXAMPLE_FLEET } from './example-fleet.js';
import type { Answer, Choice, Question } from './protocol.js';

/** All that is said, each time on a clock that is 30 ms further. */
function answersTo(question: Question): Answer[] {
  const answers: Answer[] = [];
  let nowMs = 0;
  answer(question, { tell: (said) => answers.push(said), nowMs: () => (nowMs += 30) });
  // As it goes through from a worker to its page.
  return structuredClone(answers);
}

const FLEET = `durationMs: 4000
warmupMs: 1000
services:
  web: { backends: 3 }
clients:
  people: { service: web, arrivals: 100 }
`;

const choose = (changes: Partial<Choice> = {}): Choice => ({
  subject: { kind: 'fleet', text: FLEET },
  seed: 3,
  policies: [],
  ...changes,
});

describe('the catalogue', () => {
  it('is what the code has, with its claims', () => {
    const [said] = answersTo({ kind: 'catalogue' });
    if (said?.kind !== 'catalogue') return expect.unreachable();
    expect(said.scenarios.map(({ name }) => name)).toEqual(SCENARIOS.map(({ name }) => name));
    expect(said.scenarios.every(({ claim }) => claim.length > 10)).toBe(true);
    expect(said.scenarios.find(({ name }) => name === 'figure-20-6')!.policies).toContain('weighted');
  });
});

/** Once: it takes a second. */
const SLOW_BACKENDS = answersTo({
  kind: 'run',
  choice: choose({ subject: { kind: 'scenario', name: 'slow-backends' }, seed: 0 }),
});

describe('a run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-page-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'fleet.yaml');
  writeFileSync(file, FLEET);

  async function byCommandLine(...args: string[]): Promise<unknown> {
    const printed: string[] = [];
    const terminal = {
      print: (line: string) => printed.push(line),
      note: () => {},
      width: 80,
      progress: undefined,
      nowMs: () => 0,
    };
    await simulate([...args, '--json'], terminal, SIMULATIONS);
    return JSON.parse(printed.join('\n'));
  }

  it.each<[string, string[], Partial<Choice>]>([
    ['a fleet', [file, '--seed', '3'], {}],
    [
      'a fleet with policies',
      [file, '--seed', '3', '--policy', 'prequal,round-robin'],
      { policies: ['prequal', 'round-robin'] },
    ],
    [
      'a scenario',
      ['figure-20-5', '--seed', '7'],
      { subject: { kind: 'scenario', name: 'figure-20-5' }, seed: 7 },
    ],
  ])('of %s finds what the command line finds', async (_, args, changes) => {
    const last = answersTo({ kind: 'run', choice: choose(changes) }).at(-1);
    if (last?.kind !== 'done') return expect.unreachable(JSON.stringify(last));
    expect(JSON.parse(JSON.stringify(last.run.result))).toEqual(await byCommandLine(...args));
    expect(last.run.figures.length).toBeGreaterThan(0);
  });

  it('of a scenario of fleets finds it too', async () => {
    const last = SLOW_BACKENDS.at(-1);
    if (last?.kind !== 'done') return expect.unreachable(JSON.stringify(last));
    expect(JSON.parse(JSON.stringify(last.run.result))).toEqual(await byCommandLine('slow-backends'));
  });

  it('tells how far it is, but not too often', () => {
    const shares = SLOW_BACKENDS.flatMap((each) => (each.kind === 'progress' ? [each.progress.share] : []));
    expect(shares.length).toBeGreaterThan(2);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(SLOW_BACKENDS.at(-1)!.kind).toBe('done');
  });

  it('takes no policies where there is nothing to compare', () => {
    const subject = { kind: 'scenario', name: 'figure-20-5' } as const;
    const [plain, with1] = [choose({ subject }), choose({ subject, policies: ['prequal'] })].map((choice) =>
      answersTo({ kind: 'run', choice }).at(-1),
    );
    expect(with1).toEqual(plain);
  });

  it('of a built-in scenario gives its fleets, to be changed', () => {
    const last = SLOW_BACKENDS.at(-1);
    if (last?.kind !== 'done') return expect.unreachable();
    expect(last.run.fleets.length).toBeGreaterThan(0);
    for (const { text } of last.run.fleets)
      expect(answersTo({ kind: 'check', text })).toMatchObject([{ kind: 'checked' }]);
  });
});

describe('a fleet', () => {
  it('is checked, and what it takes is said', () => {
    expect(answersTo({ kind: 'check', text: FLEET })).toMatchObject([
      { kind: 'checked', effort: { requests: 500, links: 3 } },
    ]);
    expect(answersTo({ kind: 'check', text: EXAMPLE_FLEET })).toMatchObject([{ kind: 'checked' }]);
  });

  it('that is wrong is refused, with line and column, also when it is to be run', () => {
    const text = FLEET.replace('backends: 3', 'bakends: 3');
    const problem = {
      line: 4,
      column: 10,
      path: 'services.web.bakends',
      text: 'is not known, did you mean backends?',
    };
    for (const question of [
      { kind: 'check', text } as const,
      { kind: 'run', choice: choose({ subject: { kind: 'fleet', text } }) } as const,
    ]) {
      const [said] = answersTo(question);
      expect(said).toMatchObject({ kind: 'refused', more: 0 });
      expect(said!.kind === 'refused' && said!.problems).toContainEqual(problem);
    }
  });

  it('that would not fit into a browser is refused', () => {
    const text = FLEET.replace('backends: 3', 'backends: 5000').replace(
      'service: web',
      'count: 1000, service: web',
    );
    expect(answersTo({ kind: 'check', text })).toMatchObject([
      {
        kind: 'refused',
        problems: [{ text: expect.stringMatching(/^is too large for a browser: 5000000 connections/) }],
      },
    ]);
  });
});

it('says what else went wrong', () => {
  const choice = choose({ subject: { kind: 'scenario', name: 'x' } });
  expect(answersTo({ kind: 'run', choice })).toEqual([{ kind: 'failed', text: 'there is no scenario "x"' }]);
  expect(answersTo({ kind: 'run', choice: undefined as never })).toMatchObject([{ kind: 'failed' }]);
});
