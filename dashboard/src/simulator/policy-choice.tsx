import { POLICY_NAMES, type PolicyName } from '../../../src/core/picking/index.js';

interface Props {
  readonly policies: readonly PolicyName[];
  /** What is compared when none is chosen. */
  readonly otherwise: string;
  readonly onChange: (policies: PolicyName[]) => void;
}

/** Which policies stand side by side. */
export function PolicyChoice({ policies, otherwise, onChange }: Props) {
  const toggle = (policy: PolicyName, isOn: boolean) =>
    onChange(POLICY_NAMES.filter((name) => (name === policy ? isOn : policies.includes(name))));
  return (
    <fieldset class="sim-field sim-policies">
      <legend>Compare policies</legend>
      {POLICY_NAMES.map((policy) => (
        <label key={policy} class="sim-check">
          <input
            type="checkbox"
            checked={policies.includes(policy)}
            onChange={({ currentTarget }) => toggle(policy, currentTarget.checked)}
          />
          {policy}
        </label>
      ))}
      <p class="hint">None chosen: {otherwise}.</p>
    </fieldset>
  );
}
