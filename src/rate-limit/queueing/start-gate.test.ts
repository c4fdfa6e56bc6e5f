import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StartGate } from './start-gate.js';

beforeEach(() => vi.useFakeTimers({ now: 1_000 }));
afterEach(() => vi.useRealTimers());

function aGate(most: number) {
  const started: string[] = [];
  const gate = new StartGate(most, Date.now);
  const enter = (name: string, dueMs: number, order = 0) =>
    gate.enter(dueMs, order).then(
      () => started.push(name),
      (error: Error) => started.push(`${name}: ${error.message}`),
    );
  return { gate, enter, started };
}

describe('a start gate', () => {
  it('starts none before its turn', async () => {
    const { gate, enter, started } = aGate(9);
    enter('later', 1_100);
    enter('soon', 1_010);
    enter('over', 500);
    await vi.advanceTimersByTimeAsync(9);
    expect(started).toEqual(['over']);
    await vi.advanceTimersByTimeAsync(1);
    expect(started).toEqual(['over', 'soon']);
    await vi.advanceTimersByTimeAsync(89);
    expect(started).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(started).toEqual(['over', 'soon', 'later']);
    expect(gate.running).toBe(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('starts what comes together in the order of the turns, then of coming', async () => {
    const { enter, started } = aGate(9);
    enter('c', 900, 7);
    enter('b', 900, 2);
    enter('d', 950, 1);
    enter('a', 800, 9);
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  it('starts no more at once than it may', async () => {
    const { gate, enter, started } = aGate(2);
    for (const [i, name] of ['a', 'b', 'c', 'd'].entries()) enter(name, i);
    await vi.advanceTimersByTimeAsync(10);
    expect(started).toEqual(['a', 'b']);
    gate.leave();
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual(['a', 'b', 'c']);
    expect(gate.running).toBe(2);
  });

  it('looks at the clock again and again: it may be set', async () => {
    const { enter, started } = aGate(1);
    enter('a', 100_000);
    await vi.advanceTimersByTimeAsync(500);
    vi.setSystemTime(100_000);
    await vi.advanceTimersByTimeAsync(500);
    expect(started).toEqual(['a']);
  });

  it('lets nothing start after its end', async () => {
    const { gate, enter, started } = aGate(1);
    enter('a', 1_005);
    await vi.advanceTimersByTimeAsync(1);
    gate.close();
    await vi.advanceTimersByTimeAsync(10);
    expect(started).toEqual(['a: it was cut off: its process was closed']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
