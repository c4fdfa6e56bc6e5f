import { describe, expect, it } from 'vitest';
import { pinoLines } from './pino.js';

function written(level: 'debug' | 'info' | 'warn' | 'error') {
  const lines: string[] = [];
  return { lines, log: pinoLines(level, (line) => lines.push(line)) };
}

describe('pinoLines', () => {
  it('makes one line of JSON of each thing that is said', () => {
    const { lines, log } = written('info');
    log.write('warn', 'refused', { route: 'api', reason: undefined, count: 2 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(lines[0]!)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      pid: process.pid,
      route: 'api',
      count: 2,
      msg: 'refused',
    });
  });

  it('leaves out what is below the level', () => {
    const { lines, log } = written('warn');
    log.write('info', 'request', {});
    expect([log.isOn('info'), log.isOn('warn'), lines.length]).toEqual([false, true, 0]);
  });

  it('lets nothing from outside begin a line', () => {
    const { lines, log } = written('info');
    const forged = '\n{"level":"info","msg":"forged"}\r\n\u0000\u001b[2J"\\';
    log.write('info', 'request', { path: forged, [`a"\n`]: 1 });
    expect(lines[0]!.indexOf('\n')).toBe(lines[0]!.length - 1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    expect(lines[0]!.slice(0, -1)).not.toMatch(/[\u0000-\u001f]/);
    expect(JSON.parse(lines[0]!).path).toBe(forged);
  });
});
