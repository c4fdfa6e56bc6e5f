import { describe, expect, it } from 'vitest';
import { EventLog } from './event-log.js';

describe('EventLog', () => {
  it('makes messages of events, with ids that count up', () => {
    const log = new EventLog('m');
    expect(log.lastId).toBe('m-0');
    expect(log.add({ kind: 'reload-failed', reason: 'line 1\nline 2' }, 5)).toBe(
      'event: reload-failed\nid: m-1\ndata: {"atMs":5,"reason":"line 1\\nline 2"}\n\n',
    );
    expect(log.add({ kind: 'drain' }, 6)).toBe('event: drain\nid: m-2\ndata: {"atMs":6}\n\n');
    expect(log.lastId).toBe('m-2');
  });

  it('tells what was missed, and nothing to those who come first', () => {
    const log = new EventLog('m');
    const messages = [log.add({ kind: 'lame-duck' }, 1), log.add({ kind: 'drain' }, 2)];
    expect(log.since(undefined)).toEqual([]);
    expect(log.since('m-1')).toEqual([messages[1]]);
    expect(log.since('m-2')).toEqual([]);
    expect(log.since('other-1')).toEqual(messages);
    expect(log.since('garbage')).toEqual(messages);
  });

  it('keeps the last hundred', () => {
    const log = new EventLog('m');
    for (let i = 0; i < 250; i++) log.add({ kind: 'reload' }, i);
    const kept = log.since('m-0');
    expect(kept).toHaveLength(100);
    expect(kept[0]).toContain('id: m-151\n');
  });
});
