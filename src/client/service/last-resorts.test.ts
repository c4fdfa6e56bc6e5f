import { describe, expect, it } from 'vitest';
import { type ConnectionState, Roster } from '../../core/index.js';
import { LastResorts } from './last-resorts.js';

function setUp() {
  const roster = new Roster();
  roster.update(['a', 'b', 'c']);
  const resorts = new LastResorts(roster);
  const mark = (key: string, connection: ConnectionState, isLastResort = false, now = 0) =>
    resorts.mark({ key, connection, isLastResort }, now);
  const states = () => [...roster.members()].map(({ connection }) => connection);
  return { roster, resorts, mark, states };
}

it('a backend that is silent stays what it is while another is ready, and is sent to when none is', () => {
  const { mark, states } = setUp();
  for (const key of ['a', 'b']) mark(key, 'ready');
  mark('a', 'connecting', true);
  expect(states()).toEqual(['connecting', 'ready', 'connecting']);
  mark('b', 'connecting', true);
  expect(states()).toEqual(['ready', 'ready', 'connecting']);
});

describe('a lame duck on a hint', () => {
  it('is sent nothing while another backend is ready', () => {
    const { mark, states } = setUp();
    for (const key of ['a', 'b']) mark(key, 'ready');
    mark('a', 'lame-duck', true);
    expect(states()).toEqual(['lame-duck', 'ready', 'connecting']);
  });

  it('is sent to when it is the only one, as if nothing had happened', () => {
    const { roster, mark, states } = setUp();
    mark('a', 'ready', false, 5);
    mark('a', 'lame-duck', true, 9);
    expect(states()).toEqual(['ready', 'connecting', 'connecting']);
    // No slow start for a connection that was old.
    expect(roster.get('a')!.readySinceMs).toBe(5);
  });

  it('is sent to from the moment on in which the last other one is lost, until there is one again', () => {
    const { mark, states } = setUp();
    for (const key of ['a', 'b']) mark(key, 'ready');
    mark('a', 'lame-duck', true);
    mark('b', 'refusing');
    expect(states()).toEqual(['ready', 'refusing', 'connecting']);
    mark('c', 'ready');
    expect(states()).toEqual(['lame-duck', 'refusing', 'ready']);
  });

  it('may be the only one together with others of its kind', () => {
    const { mark, states } = setUp();
    for (const key of ['a', 'b', 'c']) mark(key, 'ready');
    for (const key of ['a', 'b']) mark(key, 'lame-duck', true);
    expect(states()).toEqual(['lame-duck', 'lame-duck', 'ready']);
    mark('c', 'lame-duck', true);
    expect(states()).toEqual(['ready', 'ready', 'ready']);
    // It meant it.
    mark('b', 'lame-duck');
    expect(states()).toEqual(['ready', 'lame-duck', 'ready']);
    mark('c', 'ready');
    expect(states()).toEqual(['lame-duck', 'lame-duck', 'ready']);
  });

  it('is nothing to anybody once it is forgotten', () => {
    const { resorts, roster, mark, states } = setUp();
    for (const key of ['a', 'b']) mark(key, 'ready');
    mark('a', 'lame-duck', true);
    resorts.forget('a');
    roster.update(['b', 'a']);
    mark('b', 'refusing');
    expect(states()).not.toContain('ready');
  });
});

it('others are marked as what they are', () => {
  const { mark, states } = setUp();
  mark('a', 'ready');
  mark('b', 'lame-duck');
  mark('c', 'refusing');
  expect(states()).toEqual(['ready', 'lame-duck', 'refusing']);
});
