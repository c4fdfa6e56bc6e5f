import { describe, expect, it } from 'vitest';
import { EventParser, eventLine, SeenEvents } from './events.js';

describe('EventParser', () => {
  it('reads events in pieces of any length', () => {
    const text =
      'retry: 2000\n\nevent: backend\nid: x-1\ndata: {"atMs":5,"backend":"http://a","before":"ready","state":"ejected"}\n\n: \n\nevent: reload\nid: x-2\ndata: {"atMs":6}\n\n';
    const parser = new EventParser();
    const seen = [...text].flatMap((letter) => parser.read(letter));
    expect(seen).toEqual([
      { kind: 'backend', atMs: 5, fields: { backend: 'http://a', before: 'ready', state: 'ejected' } },
      { kind: 'reload', atMs: 6, fields: {} },
    ]);
  });
});

describe('eventLine', () => {
  it('says what happened in a line', () => {
    const fields = { service: 'fleet', backend: 'http://a:1', before: 'ready', state: 'lame-duck' };
    expect(eventLine({ kind: 'backend', atMs: 0, fields }, 80)).toMatch(
      /^\d\d:\d\d:\d\d backend http:\/\/a:1 ready → lame-duck$/,
    );
    const failed = { kind: 'reload-failed', atMs: 0, fields: { reason: 'bad\u001b[2Jfile' } };
    expect(eventLine(failed, 80)).toMatch(/reload-failed reason bad\?\[2Jfile$/);
    expect(eventLine(failed, 20)).toHaveLength(20);
  });
});

it('keeps the latest', () => {
  const events = new SeenEvents();
  for (let atMs = 0; atMs < 100; atMs++) events.add({ kind: 'reload', atMs, fields: {} });
  expect(events.latest(2).map(({ atMs }) => atMs)).toEqual([99, 98]);
  expect(events.latest(100)).toHaveLength(50);
});
