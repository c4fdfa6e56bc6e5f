import type { Draft } from './draft.js';
import type { ScenarioEntry } from './protocol.js';
import { waitOf } from './scenario-waits.js';

interface Props {
  readonly scenarios: readonly ScenarioEntry[];
  readonly scenario: string | undefined;
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** No scenario is called so. */
const OWN = '';

/** A built-in scenario, with what it claims, or a fleet of one's own. */
export function ScenarioChoice({ scenarios, scenario, onChange }: Props) {
  const entry = scenarios.find(({ name }) => name === scenario);
  const choose = (name: string) => onChange({ scenario: name === OWN ? undefined : name, policies: [] });
  return (
    <div class="sim-field">
      <label for="sim-scenario">Scenario</label>
      <select
        id="sim-scenario"
        aria-describedby="sim-claim"
        value={scenario ?? OWN}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        <option value={OWN}>a fleet of your own</option>
        <optgroup label="built in">
          {scenarios.map(({ name, claim }) => (
            <option key={name} value={name} title={claim}>
              {name}
            </option>
          ))}
        </optgroup>
      </select>
      <p id="sim-claim" class="hint">
        {scenario === undefined
          ? 'Services, clients and faults, as YAML. Checked: no request is lost, and faults are recovered from.'
          : entry === undefined
            ? `There is no scenario "${scenario}".`
            : `Claims: ${entry.claim}. ${waitOf(entry.name)}`}
      </p>
    </div>
  );
}
