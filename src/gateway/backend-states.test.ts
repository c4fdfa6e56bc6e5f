import { describe, expect, it } from 'vitest';
import { BackendStates, type SeenService } from './backend-states.js';

const seen = (service: string, backends: Record<string, string>): SeenService => ({
  service,
  backends: Object.entries(backends).map(([url, state]) => ({ url, state })),
});

describe('BackendStates', () => {
  it('has no news at the first look', () => {
    expect(new BackendStates().changes([seen('users', { a: 'ready' })])).toEqual([]);
  });

  it('tells what is new, different and gone, once', () => {
    const states = new BackendStates();
    states.changes([seen('users', { a: 'ready', b: 'ready' }), seen('old', { x: 'ready' })]);
    const later = [seen('users', { a: 'ejected', c: 'connecting' })];
    expect(states.changes(later)).toEqual([
      { service: 'users', backend: 'a', before: 'ready', state: 'ejected' },
      { service: 'users', backend: 'c', before: 'new', state: 'connecting' },
      { service: 'users', backend: 'b', before: 'ready', state: 'gone' },
      { service: 'old', backend: 'x', before: 'ready', state: 'gone' },
    ]);
    expect(states.changes(later)).toEqual([]);
  });

  it('tells of a hundred at most', () => {
    const states = new BackendStates();
    const all = (state: string) =>
      seen('users', Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`b${i}`, state])));
    states.changes([all('ready')]);
    expect(states.changes([all('ejected')])).toHaveLength(100);
  });
});
