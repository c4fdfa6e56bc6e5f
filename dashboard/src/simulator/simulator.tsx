import './simulator.css';
import { useEffect, useState } from 'preact/hooks';
import { SEED_IN_WORDS, seedOf } from '../../../src/simulations/seed.js';
import { Desk } from './desk.js';
import { type Draft, subjectOf, useDraft } from './draft.js';
import { FleetEditor } from './fleet-editor.js';
import { PolicyChoice } from './policy-choice.js';
import type { Choice, ScenarioEntry } from './protocol.js';
import { RunEndView } from './run-end-view.js';
import { RunProgress } from './run-progress.js';
import { ScenarioChoice } from './scenario-choice.js';
import { ShareLink } from './share-link.js';
import { useRun } from './use-run.js';

/** The simulator in the browser: a scenario or a fleet of one's own, run in a worker, and what it found. */
export function Simulator() {
  const { desk, scenarios, failure } = useDesk();
  const [draft, change] = useDraft();
  const { running, ended, start, cancel } = useRun();
  const choice = choiceOf(draft, scenarios);
  const isRunning = running !== undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    if (choice !== undefined && !isRunning) start(choice);
  };
  return (
    <div class="sim">
      <h2>Simulator</h2>
      <p class="sim-intro">
        Runs the decision code that ships on a virtual clock, here in the browser. The same seed gives the
        same result, here and by <code>plimsoll simulate</code>.
      </p>
      <form class="panel sim-form" onSubmit={submit}>
        <ScenarioChoice scenarios={scenarios} scenario={draft.scenario} onChange={change} />
        {draft.scenario === undefined && (
          <FleetEditor
            text={draft.fleetText}
            desk={desk}
            runs={Math.max(1, draft.policies.length)}
            onChange={(fleetText) => change({ fleetText })}
          />
        )}
        <Policies draft={draft} scenarios={scenarios} onChange={change} />
        <SeedField text={draft.seedText} onChange={(seedText) => change({ seedText })} />
        <div class="sim-buttons">
          <button type="submit" class="button button-strong" disabled={choice === undefined || isRunning}>
            Run
          </button>
          <button type="button" class="button" disabled={!isRunning} onClick={cancel}>
            Cancel
          </button>
          <ShareLink choice={choice} />
        </div>
      </form>
      {failure !== undefined && <p class="sim-bad">The simulator cannot be loaded: {failure}</p>}
      <RunProgress running={running} />
      {ended !== undefined && (
        <RunEndView
          ended={ended}
          onEdit={(fleetText) => change({ scenario: undefined, fleetText, policies: [] })}
        />
      )}
    </div>
  );
}

/** Undefined while the seed is none. A link may name policies where there is nothing to compare. */
function choiceOf(draft: Draft, scenarios: readonly ScenarioEntry[]): Choice | undefined {
  const seed = seedOf(draft.seedText);
  if (seed === undefined) return undefined;
  const policies = compares(draft, scenarios) ? draft.policies : [];
  return { subject: subjectOf(draft), seed, policies };
}

function compares({ scenario }: Draft, scenarios: readonly ScenarioEntry[]): boolean {
  return scenario === undefined || scenarios.some((entry) => entry.name === scenario && entry.policies);
}

function useDesk() {
  const [desk] = useState(() => new Desk());
  const [scenarios, setScenarios] = useState<readonly ScenarioEntry[]>([]);
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    void desk.ask({ kind: 'catalogue' }).then((answer) => {
      if (answer.kind === 'catalogue') setScenarios(answer.scenarios);
      if (answer.kind === 'failed') setFailure(answer.text);
    });
    return () => desk.close();
  }, [desk]);
  return { desk, scenarios, failure };
}

interface PoliciesProps {
  readonly draft: Draft;
  readonly scenarios: readonly ScenarioEntry[];
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** Only where there is something to compare. */
function Policies({ draft, scenarios, onChange }: PoliciesProps) {
  if (!compares(draft, scenarios)) return null;
  const own = scenarios.find(({ name }) => name === draft.scenario)?.policies;
  const otherwise = own === undefined ? 'as the fleet says' : own.join(', ');
  return (
    <PolicyChoice
      policies={draft.policies}
      otherwise={otherwise}
      onChange={(chosen) => onChange({ policies: chosen })}
    />
  );
}

function SeedField({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const isWrong = seedOf(text) === undefined;
  return (
    <div class="sim-field">
      <label for="sim-seed">Seed</label>
      <input
        id="sim-seed"
        class="sim-input"
        inputMode="numeric"
        autocomplete="off"
        value={text}
        aria-invalid={isWrong}
        aria-describedby="sim-seed-hint"
        onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
      <p id="sim-seed-hint" class={isWrong ? 'sim-bad' : 'hint'}>
        {isWrong ? `The seed takes ${SEED_IN_WORDS}.` : 'Another seed is another draw.'}
      </p>
    </div>
  );
}
