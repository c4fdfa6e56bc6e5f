import { describe, expect, it } from 'vitest';
import { encodeLoadReport } from '../../wire/index.js';
import { LastReport } from './last-report.js';

const HALF = encodeLoadReport({ cpuUtilization: 0.5 });

describe('the last report', () => {
  it('is what the last answer said, read once', () => {
    const last = new LastReport();
    expect(last.report).toBeUndefined();
    const first = last.read(HALF);
    expect(first).toMatchObject({ cpuUtilization: 0.5 });
    expect(last.read(HALF)).toBe(first);
    expect(last.report).toBe(first);
  });

  it('is kept when an answer says nothing, which is then nothing of that answer', () => {
    const last = new LastReport();
    last.read(HALF);
    expect(last.read(undefined)).toBeUndefined();
    expect(last.report).toMatchObject({ cpuUtilization: 0.5 });
  });

  it('is what a check said later, until an answer says the same as before anew', () => {
    const last = new LastReport();
    last.read(HALF);
    last.set({ cpuUtilization: 0.9 });
    expect(last.report).toMatchObject({ cpuUtilization: 0.9 });
    expect(last.read(HALF)).toMatchObject({ cpuUtilization: 0.5 });
  });
});
