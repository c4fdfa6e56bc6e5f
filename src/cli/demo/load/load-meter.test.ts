import { describe, expect, it } from 'vitest';
import { LoadMeter } from './load-meter.js';

describe('LoadMeter', () => {
  it('tells what became of whom, over the last four slots', () => {
    const meter = new LoadMeter(0);
    for (let slot = 1; slot <= 6; slot++) {
      meter.offered('A', 'CRITICAL');
      meter.ended('A', 'CRITICAL', 'served', slot);
      meter.turn(slot * 500);
    }
    expect(meter.recent).toMatchObject({ ms: 2_000, offered: 4, served: 4, p50Ms: 4, p99Ms: 6 });
    expect(meter.recent.byCustomer).toEqual({
      A: { offered: 4, served: 4, refused: 0 },
      B: { offered: 0, served: 0, refused: 0 },
      C: { offered: 0, served: 0, refused: 0 },
    });
  });

  it('tells refusals, failures and what came too late apart', () => {
    const meter = new LoadMeter(0);
    for (const outcome of ['served', 'refused', 'refused', 'failed', 'late', 'late', 'late'] as const) {
      meter.offered('B', 'SHEDDABLE');
      meter.ended('B', 'SHEDDABLE', outcome, 10);
    }
    meter.turn(1_000);
    expect(meter.recent).toMatchObject({ offered: 7, served: 1, refused: 2, failed: 1, late: 3 });
    expect(meter.recent.byCriticality.SHEDDABLE).toEqual({ offered: 7, served: 1, refused: 2 });
  });

  it('adds up since it was asked to count, and only then', () => {
    const meter = new LoadMeter(0);
    meter.offered('A', 'CRITICAL');
    meter.turn(500);
    expect(meter.total).toMatchObject({ ms: 0, offered: 0, p99Ms: 0 });
    meter.offered('A', 'CRITICAL');
    meter.count(700);
    for (let slot = 1; slot <= 10; slot++) {
      meter.offered('C', 'CRITICAL_PLUS');
      meter.ended('C', 'CRITICAL_PLUS', 'served', 20);
      meter.turn(700 + slot * 500);
    }
    expect(meter.total).toMatchObject({ ms: 5_000, offered: 10, served: 10, p50Ms: 20 });
    expect(meter.total.byCriticality.CRITICAL_PLUS.served).toBe(10);
  });

  it('has seen nothing after an hour of silence', () => {
    const meter = new LoadMeter(0);
    meter.offered('A', 'CRITICAL');
    for (let slot = 1; slot <= 7_200; slot++) meter.turn(slot * 500);
    expect(meter.recent).toMatchObject({ ms: 2_000, offered: 0, p50Ms: 0 });
  });
});
