import type { Choices } from './choices.js';
import type { Control } from './control.js';

/** A value for a control, as it stands in a URL. Throws a RangeError that says what it may be. */
export function readValue(control: Control, text: string | undefined): string | number | boolean {
  const { name, kind, options = [], min = 0, max = 0 } = control;
  const got = `got ${text === undefined ? 'nothing' : JSON.stringify(text.slice(0, 64))}`;
  if (kind === 'action') return true;
  if (kind === 'toggle') {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new RangeError(`${name} must be true or false, ${got}`);
  }
  if (kind === 'range') {
    const value = Number(text);
    if (text !== undefined && /^\d+(\.\d+)?$/.test(text) && value >= min && value <= max) return value;
    throw new RangeError(`${name} must be a number from ${min} to ${max}, ${got}`);
  }
  if (text !== undefined && options.some(({ value }) => value === text)) return text;
  throw new RangeError(`${name} must be one of ${options.map(({ value }) => value).join(', ')}, ${got}`);
}

/** What is chosen once a control has this value; the same as before for those that choose nothing. */
export function choose(choices: Choices, { name }: Control, value: string | number | boolean): Choices {
  switch (name) {
    case 'load':
      return { ...choices, load: value as number };
    case 'cost-mix':
      return { ...choices, costMix: value as Choices['costMix'] };
    case 'criticality-mix':
      return { ...choices, criticalityMix: value as Choices['criticalityMix'] };
    case 'misbehave':
      return { ...choices, isMisbehaving: value as boolean };
    case 'slow':
      return { ...choices, slow: value as string };
    case 'lame-duck':
      return { ...choices, lameDuck: value as string };
    case 'policy':
      return { ...choices, policy: value as Choices['policy'] };
    case 'subset':
      return { ...choices, subset: Number(value) };
    case 'guard':
      return { ...choices, isGuarded: value as boolean };
    case 'kill':
    case 'restart-all':
      return choices;
  }
}
