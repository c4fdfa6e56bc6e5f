import { describe, expect, it } from 'vitest';
import { formatProgress, ProgressLine } from './progress.js';

describe('progress', () => {
  it('says how far it is, how fast, and how long it will take', () => {
    expect(formatProgress('plateau', { share: 0.25, events: 4_800_000 }, 2_000)).toBe(
      'plateau  ━━━━━━──────────────────  25 %  2.4 M events/s  6 s left',
    );
    expect(formatProgress('plateau', { share: 1, events: 10 }, 1_000)).toBe(
      'plateau  ━━━━━━━━━━━━━━━━━━━━━━━━ 100 %  10 events/s  0 s left',
    );
  });

  it('does not guess before it knows', () => {
    expect(formatProgress('plateau', { share: 0, events: 0 }, 0)).toBe(
      'plateau  ────────────────────────   0 %',
    );
  });

  it('is never more than all, nor less than nothing', () => {
    expect(formatProgress('x', { share: 1.2, events: 10 }, 1_000)).toContain('100 %');
    expect(formatProgress('x', { share: -1, events: 10 }, 1_000)).toContain('  0 %  10 events/s');
  });
});

describe('a line of progress', () => {
  function lineOnTerminal(columns = 100) {
    const terminal = { nowMs: 1_000, written: [] as string[] };
    const line = new ProgressLine('sample', {
      write: (text) => terminal.written.push(text),
      columns,
      nowMs: () => terminal.nowMs,
    });
    return { line, terminal };
  }

  it('is drawn ten times a second at most, and deleted', () => {
    const { line, terminal } = lineOnTerminal();
    for (let ms = 0; ms <= 1_000; ms++) {
      terminal.nowMs = 1_000 + ms;
      line.update({ share: ms / 1_000, events: ms });
    }
    expect(terminal.written).toHaveLength(10);
    expect(terminal.written[4]).toBe(
      '\r\u001b[Ksample  ━━━━━━━━━━━━────────────  50 %  1.0 k events/s  1 s left',
    );
    line.clear();
    line.clear();
    expect(terminal.written.slice(10)).toEqual(['\r\u001b[K']);
  });

  it('leaves no trace of what takes no time', () => {
    const { line, terminal } = lineOnTerminal();
    line.update({ share: 0, events: 0 });
    terminal.nowMs += 99;
    line.update({ share: 0.9, events: 0 });
    line.clear();
    expect(terminal.written).toEqual([]);
  });

  it('is never wider than the terminal', () => {
    const { line, terminal } = lineOnTerminal(20);
    terminal.nowMs += 500;
    line.update({ share: 0.5, events: 5 });
    expect(terminal.written).toEqual(['\r\u001b[Ksample  ━━━━━━━━━━━']);
  });
});
