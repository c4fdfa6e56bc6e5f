import { useEffect, useState } from 'preact/hooks';
import { change } from '../data/admin.js';
import type { Control } from '../data/demo.js';
import { confirmed } from '../parts/confirm.js';
import { Segments } from '../parts/segments.js';

type Value = number | string | boolean;

interface ControlFieldProps {
  readonly control: Control;
  readonly token: string | undefined;
}

/** So long what was chosen here is shown, until the demo says the same: a slider must not jump back under the hand. */
const PATIENCE_MS = 2_500;

/** One thing to turn, with the sentence that says what it does. */
export function ControlField({ control, token }: ControlFieldProps) {
  const { name, label, sentence, confirm } = control;
  const [chosen, setChosen] = useState<Value | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (chosen === undefined) return;
    if (String(chosen) === String(control.value)) setChosen(undefined);
    const timer = setTimeout(() => setChosen(undefined), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [chosen, control.value]);
  const send = async (value: Value) => {
    if (confirm !== undefined && !(await confirmed(confirm, label))) return;
    setChosen(value);
    setProblem(
      await change(`demo/${encodeURIComponent(name)}?value=${encodeURIComponent(String(value))}`, token),
    );
  };
  const field = {
    control,
    value: chosen ?? control.value,
    preview: setChosen,
    send,
  };
  return (
    <div class={`control control-${control.kind}`}>
      <Field {...field} />
      <p class="hint" id={`about-${name}`}>
        {sentence}
      </p>
      {problem === undefined ? undefined : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface FieldProps {
  readonly control: Control;
  readonly value: Value | undefined;
  readonly preview: (value: Value) => void;
  readonly send: (value: Value) => Promise<void>;
}

function Field(props: FieldProps) {
  switch (props.control.kind) {
    case 'range':
      return <RangeField {...props} />;
    case 'choice':
      return <ChoiceField {...props} />;
    case 'toggle':
      return <ToggleField {...props} />;
    case 'action':
      return <ActionField {...props} />;
  }
}

function RangeField({ control, value, preview, send }: FieldProps) {
  const { name, label, min = 0, max = 1, step = 0.1 } = control;
  const id = `control-${name}`;
  return (
    <>
      <label for={id}>
        {label} <output class="num">{typeof value === 'number' ? Number(value.toFixed(2)) : value}</output>
      </label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={Number(value ?? min)}
        aria-describedby={`about-${name}`}
        onInput={({ currentTarget }) => preview(currentTarget.valueAsNumber)}
        onChange={({ currentTarget }) => void send(currentTarget.valueAsNumber)}
      />
    </>
  );
}

/** Few are shown side by side, many in a list. */
const MOST_SEGMENTS = 4;

function ChoiceField({ control, value, send }: FieldProps) {
  const { name, label, options = [] } = control;
  const choices = options.map((option) => ({ value: String(option.value), label: option.label }));
  if (choices.length <= MOST_SEGMENTS)
    return (
      <>
        <span class="control-label">{label}</span>
        <Segments label={label} value={String(value)} options={choices} onChange={send} />
      </>
    );
  const id = `control-${name}`;
  return (
    <>
      <label for={id}>{label}</label>
      <select
        id={id}
        value={String(value ?? '')}
        aria-describedby={`about-${name}`}
        onChange={({ currentTarget }) => void send(currentTarget.value)}
      >
        {value === undefined ? <option value="">choose …</option> : undefined}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </>
  );
}

function ToggleField({ control, value, send }: FieldProps) {
  const { name, label } = control;
  const isOn = value === true || value === 'true' || value === 'on';
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={isOn}
      aria-describedby={`about-${name}`}
      onClick={() => void send(!isOn)}
    >
      <span class="switch-track" aria-hidden="true" />
      {label} <b>{isOn ? 'on' : 'off'}</b>
    </button>
  );
}

/** With options it is done to one of them: which one is chosen first. */
function ActionField({ control, send }: FieldProps) {
  const { name, label, options, confirm } = control;
  const [target, setTarget] = useState(String(options?.[0]?.value ?? ''));
  return (
    <span class="action">
      {options === undefined ? undefined : (
        <select
          aria-label={`${label}: which`}
          value={target}
          onChange={({ currentTarget }) => setTarget(currentTarget.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={String(option.value)}>
              {option.label}
            </option>
          ))}
        </select>
      )}
      <button
        type="button"
        class="button"
        aria-describedby={`about-${name}`}
        onClick={() => void send(target)}
      >
        {label}
        {confirm === undefined ? '' : ' …'}
      </button>
    </span>
  );
}
