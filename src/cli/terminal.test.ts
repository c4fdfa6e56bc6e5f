import { describe, expect, it, vi } from 'vitest';
import { processTerminal } from './terminal.js';

type Streams = Parameters<typeof processTerminal>[0];

/** Two streams of a process, as far as they are looked at. */
function streams(stdout: object, stderr: object): Streams {
  return { stdout, stderr } as unknown as Streams;
}

describe('the terminal of a process', () => {
  it('is as wide as it is, and as a page where the output goes to a file', () => {
    expect(processTerminal(streams({ isTTY: true, columns: 87 }, {})).width).toBe(87);
    expect(processTerminal(streams({ columns: 87 }, {})).width).toBe(120);
  });

  it('shows progress only to people', () => {
    const write = vi.fn();
    const { progress } = processTerminal(streams({}, { isTTY: true, columns: 87, write }));
    progress!.write('half');
    expect(write).toHaveBeenCalledWith('half');
    expect(progress!.columns).toBe(87);
    expect(processTerminal(streams({ isTTY: true, columns: 87 }, {})).progress).toBeUndefined();
  });

  it('keeps the output apart from what is said beside it', () => {
    const [log, error] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) =>
      spy.mockImplementation(() => {}),
    );
    const terminal = processTerminal();
    terminal.print('a result');
    terminal.note('a note');
    expect([log!.mock.calls, error!.mock.calls]).toEqual([[['a result']], [['a note']]]);
    vi.restoreAllMocks();
  });

  it('has a clock that does not go back', () => {
    const { nowMs, progress } = processTerminal(streams({}, { isTTY: true }));
    const first = nowMs();
    expect(progress!.nowMs()).toBeGreaterThanOrEqual(first);
  });
});
