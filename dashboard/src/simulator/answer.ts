import { SettingsError } from '../../../src/config/settings-error.js';
import { fleetFrom } from '../../../src/simulations/fleet-text.js';
import { type FleetSpec, fleetSchema } from '../../../src/simulator/fleet/index.js';
import { fleetScenario } from '../../../src/simulator/scenarios/fleet-scenario.js';
import { SCENARIOS } from '../../../src/simulator/scenarios/index.js';
import type { Scenario } from '../../../src/simulator/scenarios/scenario.js';
import { effortOf, MOST_LINKS } from './effort.js';
import { fleetsOf } from './fleets-of.js';
import type { Answer, Choice, Question, Subject } from './protocol.js';

/** Ten times a second looks smooth; each costs a message. */
const PROGRESS_MS = 100;

/** As if it lay in a file of that name: then the command line says the same of it. */
const NAMES = { name: 'fleet', file: 'fleet.yaml' };

const FLEETS = { schema: fleetSchema, scenario: fleetScenario };

/** Who listens, and a clock to tell it not too often. */
export interface Asker {
  tell(answer: Answer): void;
  nowMs(): number;
}

/** Everything that the worker does, without the worker. */
export function answer(question: Question, asker: Asker): void {
  try {
    asker.tell(answerTo(question, asker));
  } catch (error) {
    asker.tell(asAnswer(error));
  }
}

function answerTo(question: Question, asker: Asker): Answer {
  switch (question.kind) {
    case 'catalogue':
      return {
        kind: 'catalogue',
        scenarios: SCENARIOS.map(({ name, claim, policies }) => ({ name, claim, policies })),
      };
    case 'check':
      return { kind: 'checked', effort: effortOf(readFleet(question.text).spec) };
    case 'run':
      return { kind: 'done', run: run(question.choice, asker) };
  }
}

/** As `plimsoll simulate` does it: the same scenario, with the same options. */
function run({ subject, seed, policies }: Choice, { tell, nowMs }: Asker) {
  const scenario = scenarioOf(subject);
  let toldMs = nowMs();
  const { result, figures } = scenario.run({
    seed,
    ...(policies.length > 0 && scenario.policies !== undefined && { policies }),
    onProgress: (progress) => {
      if (nowMs() - toldMs < PROGRESS_MS) return;
      toldMs = nowMs();
      tell({ kind: 'progress', progress });
    },
  });
  const fleets = subject.kind === 'fleet' ? [] : fleetsOf(result);
  return { claim: scenario.claim, result, figures, fleets };
}

function scenarioOf(subject: Subject): Scenario {
  if (subject.kind === 'fleet') return readFleet(subject.text).scenario;
  const scenario = SCENARIOS.find(({ name }) => name === subject.name);
  if (scenario === undefined) throw new Error(`there is no scenario "${subject.name}"`);
  return scenario;
}

function readFleet(text: string): { scenario: Scenario; spec: FleetSpec } {
  const fleet = fleetFrom<FleetSpec>(text, NAMES, FLEETS);
  const { links } = effortOf(fleet.spec);
  if (links > MOST_LINKS)
    throw new RangeError(
      `is too large for a browser: ${links} connections between clients and backends, and ${MOST_LINKS} fit. ` +
        'Give clients a subset, or run it by `plimsoll simulate`',
    );
  return fleet;
}

/** What is wrong with a fleet, where that is known; what went wrong with us. */
function asAnswer(error: unknown): Answer {
  if (error instanceof SettingsError) return { kind: 'refused', problems: error.problems, more: error.more };
  if (error instanceof RangeError)
    return { kind: 'refused', problems: [{ path: '', text: error.message }], more: 0 };
  return { kind: 'failed', text: error instanceof Error ? error.message : String(error) };
}
