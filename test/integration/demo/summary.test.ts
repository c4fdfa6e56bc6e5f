import { describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/cli/demo/summary.js';
import { RunningProgram } from './running-demo.js';

/** Loose bounds: tests share their two cores with other tests. What a quiet machine does is in docs/demo.md. */
describe('plimsoll demo --for', () => {
  it('ends by itself with one object', async () => {
    const run = new RunningProgram(['demo', '--for', '6s', '--load', '3', '--json', '--port', '0']);
    expect(await run.exited).toBe(0);
    const summary = JSON.parse(run.stdout) as Summary;
    expect(summary.capacity).toBeGreaterThan(1);
    expect(summary.multiple).toBeGreaterThan(1);
    expect(summary.goodputOfPeak).toBeGreaterThan(0.4);
    expect(summary.failed).toBeLessThanOrEqual(2);
    expect(summary.p99Ms).toBeLessThanOrEqual(1_000);
    expect(summary.spread.maxOverMean).toBeGreaterThanOrEqual(1);
    const { CRITICAL_PLUS: plus, SHEDDABLE: sheddable } = summary.byCriticality;
    expect(summary.refused.SHEDDABLE).toBe(sheddable.refused);
    expect(sheddable.refused).toBeGreaterThan(0);
    expect(plus.served / plus.offered).toBeGreaterThan(sheddable.served / sheddable.offered);
    expect(Object.keys(summary.byCustomer)).toEqual(['A', 'B', 'C']);
    // What is not the summary is beside it.
    expect(run.stderr).toContain('the page is at http://127.0.0.1:');
    expect(run.stderr).toMatch(/the fleet can serve \d+ requests a second/);
  });

  it('has tables for people', async () => {
    const run = new RunningProgram(['demo', '--for', '2s', '--port', '0']);
    expect(await run.exited).toBe(0);
    expect(run.stdout).toMatch(/^the page is at http:\/\/127\.0\.0\.1:\d+\/dashboard\/#token=\S{20,}$/m);
    expect(run.stdout).toMatch(/^goodput +[\d.]+ of [\d.]+ a second/m);
    expect(run.stdout).toMatch(/^CRITICAL_PLUS +\d+ +\d+ +\d+ /m);
  });
});
