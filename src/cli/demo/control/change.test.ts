import { describe, expect, it } from 'vitest';
import { choose, readValue } from './change.js';
import { type Choices, FIRST_CHOICES } from './choices.js';
import { CONTROL_NAMES, type ControlName, isControlName } from './control.js';
import { controlsOf } from './controls.js';

const CALM = { down: [], isRestarting: false };
const controls = controlsOf(FIRST_CHOICES, CALM);
const named = (name: ControlName) => controls.find((control) => control.name === name)!;

describe('controls', () => {
  it('are all there, each with a sentence', () => {
    expect(controls.map(({ name }) => name)).toEqual(CONTROL_NAMES);
    for (const { sentence } of controls) expect(sentence).toMatch(/^[A-Z].*[^.]+\.$/);
    expect(isControlName('load')).toBe(true);
    expect(isControlName('toString')).toBe(false);
  });

  it('say what is chosen, and it is among what can be', () => {
    for (const control of controls)
      if (control.kind === 'choice')
        expect(control.options!.map(({ value }) => value)).toContain(control.value);
    expect(named('load').value).toBe(0.8);
    expect(named('subset').options!.map(({ value }) => value)).toEqual(['2', '3', '4', '5', '6']);
  });

  it('show what is going on', () => {
    const busy = controlsOf(FIRST_CHOICES, { down: ['backend-2'], isRestarting: true });
    expect(busy.find(({ name }) => name === 'kill')!.value).toBe('backend-2');
    expect(busy.find(({ name }) => name === 'restart-all')!.label).toBe('Restarting …');
  });
});

describe('readValue', () => {
  it.each([
    ['load', '2.5', 2.5],
    ['cost-mix', 'heavy-tail', 'heavy-tail'],
    ['misbehave', 'true', true],
    ['guard', 'false', false],
    ['kill', 'backend-1', 'backend-1'],
    ['restart-all', undefined, true],
  ] as const)('%s takes %s', (name, text, value) => {
    expect(readValue(named(name), text)).toBe(value);
  });

  it.each([
    ['load', '0.1', 'load must be a number from 0.5 to 10, got "0.1"'],
    ['load', undefined, 'load must be a number from 0.5 to 10, got nothing'],
    ['load', '1e1', 'load must be'],
    ['policy', 'best', 'policy must be one of round-robin, least-loaded, weighted, prequal, got "best"'],
    ['subset', '1', 'subset must be one of 2, 3, 4, 5, 6'],
    ['guard', 'off', 'guard must be true or false, got "off"'],
    ['kill', 'all', 'kill must be one of none, backend-1'],
  ] as const)('%s does not take %s', (name, text, problem) => {
    expect(() => readValue(named(name), text)).toThrow(problem);
  });
});

describe('choose', () => {
  it.each([
    ['load', 3, { load: 3 }],
    ['cost-mix', 'even', { costMix: 'even' }],
    ['criticality-mix', 'mostly-batch', { criticalityMix: 'mostly-batch' }],
    ['misbehave', true, { isMisbehaving: true }],
    ['slow', 'backend-1', { slow: 'backend-1' }],
    ['lame-duck', 'backend-1', { lameDuck: 'backend-1' }],
    ['policy', 'prequal', { policy: 'prequal' }],
    ['subset', '3', { subset: 3 }],
    ['guard', false, { isGuarded: false }],
    ['kill', 'backend-1', {}],
    ['restart-all', true, {}],
  ] as const)('%s: %s', (name, value, change: Partial<Choices>) => {
    expect(choose(FIRST_CHOICES, named(name), value)).toEqual({ ...FIRST_CHOICES, ...change });
  });
});
