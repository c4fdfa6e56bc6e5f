import { expect, it } from 'vitest';
import type { GateState } from '../../core/index.js';
import { StateListeners } from './state-listeners.js';

it('tells of changes, and only of changes', () => {
  const listeners = new StateListeners('starting');
  const heard: GateState[] = [];
  const stop = listeners.add((state) => heard.push(state));
  expect(listeners.tell('starting')).toBe(false);
  expect(listeners.tell('ready')).toBe(true);
  expect(listeners.tell('ready')).toBe(false);
  stop();
  expect(listeners.tell('lame-duck')).toBe(true);
  expect(heard).toEqual(['ready']);
});

it('bears a listener that leaves while it is told', () => {
  const listeners = new StateListeners('starting');
  const heard: string[] = [];
  const stop = listeners.add(() => {
    heard.push('first');
    stop();
  });
  listeners.add(() => heard.push('second'));
  listeners.tell('ready');
  listeners.tell('closed');
  expect(heard).toEqual(['first', 'second', 'second']);
});
