import { describe, expect, it } from 'vitest';
import { readAnswerSigns } from './answer-signs.js';

function raw(...texts: (string | string[])[]): (Buffer | Buffer[])[] {
  return texts.map((text) =>
    Array.isArray(text) ? text.map((each) => Buffer.from(each)) : Buffer.from(text),
  );
}

const DUCK = 'X-Envoy-Immediate-Health-Check-Fail';

describe('readAnswerSigns', () => {
  it('finds the report and the lame duck, however their names are written', () => {
    const headers = raw('Content-Length', '2', 'Endpoint-Load-Metrics', 'TEXT cpu=1', DUCK, 'true');
    expect(readAnswerSigns(headers)).toEqual({ report: 'TEXT cpu=1', isLameDuck: true });
    expect(readAnswerSigns(raw('endpoint-load-metrics', 'a', DUCK.toLowerCase(), ''))).toEqual({
      report: 'a',
      isLameDuck: true,
    });
  });

  it('finds nothing where nothing is, and keeps nothing of the answer before', () => {
    readAnswerSigns(raw('endpoint-load-metrics', 'old', DUCK, 'true'));
    expect(readAnswerSigns(raw('content-type', 'text/plain'))).toEqual({
      report: undefined,
      isLameDuck: false,
    });
    expect(readAnswerSigns([])).toEqual({ report: undefined, isLameDuck: false });
  });

  it('is not misled by names of the same length, by values, or by a name without value', () => {
    const other = 'x'.repeat(DUCK.length);
    const report = 'y'.repeat('endpoint-load-metrics'.length);
    const headers = raw(other, DUCK, report, 'endpoint-load-metrics', 'endpoint-load-metrics');
    expect(readAnswerSigns(headers)).toEqual({ report: undefined, isLameDuck: false });
  });

  it('takes the first of several reports, of one list or of many headers', () => {
    expect(readAnswerSigns(raw('endpoint-load-metrics', ['first', 'second'])).report).toBe('first');
    const twice = raw('endpoint-load-metrics', 'first', 'endpoint-load-metrics', 'second');
    expect(readAnswerSigns(twice).report).toBe('first');
    expect(readAnswerSigns(raw('endpoint-load-metrics', [])).report).toBeUndefined();
  });
});
