import { describe, expect, it } from 'vitest';
import { gatewaySnapshot } from './samples.contract.js';
import { asOne } from './several-workers.js';

describe('several workers as one', () => {
  const merged = asOne({
    workers: {
      '1': gatewaySnapshot({ ended: 10, answered: 8, attempts: [9, 1], utilization: 0.4, uptimeMs: 5 }),
      '2': gatewaySnapshot({
        ended: 30,
        answered: 20,
        attempts: [20, 2, 1],
        utilization: 0.9,
        limited: 3,
        active: 5,
      }),
    },
  });

  it('have done what each has done', () => {
    expect(merged.guard?.counts.CRITICAL.ended).toBe(40);
    expect(merged.services?.['shop']?.counts.outcomes.answered).toBe(28);
    expect(merged.services?.['shop']?.counts.attempts).toEqual([29, 3, 1]);
    expect(merged.routes?.['/']?.limited).toBe(3);
  });

  it('are as full as the fullest', () => {
    expect(merged.guard?.utilization.utilization).toBe(0.9);
  });

  it('use each backend together', () => {
    expect(merged.services?.['shop']?.backends.map(({ active }) => active)).toEqual([7, 7]);
  });

  it('have no clock in common', () => {
    expect(merged.process?.uptimeMs).toBeUndefined();
  });

  it('have busy keys in common, whatever their rank at each', () => {
    const route = (busiest: object[]) =>
      ({ routes: { '/': { limits: { hourly: { busiest } } } } }) as unknown as ReturnType<
        typeof gatewaySnapshot
      >;
    const { routes } = asOne({
      workers: {
        '1': route([
          { key: 'a', hits: 9, refused: 1 },
          { key: 'b', hits: 2, refused: 0 },
        ]),
        '2': route([{ key: 'b', hits: 8, refused: 3 }]),
      },
    });
    expect(routes?.['/']?.limits?.['hourly']?.busiest).toEqual([
      { key: 'b', hits: 10, refused: 3 },
      { key: 'a', hits: 9, refused: 1 },
    ]);
  });

  it('use quotas together; whoever divides them knows best', () => {
    const worker = (usedPerSecond: number, fleet?: object) =>
      ({
        quota: {
          customers: [
            {
              customer: 'acme',
              limitPerSecond: 50,
              usedPerSecond,
              demandPerSecond: usedPerSecond,
              refusedPerSecond: 0,
            },
          ],
          fleet,
        },
      }) as unknown as ReturnType<typeof gatewaySnapshot>;
    const together = asOne({ workers: { '1': worker(10), '2': worker(15) } }).quota;
    expect(together?.customers).toMatchObject([
      { limitPerSecond: 50, usedPerSecond: 25, demandPerSecond: 25 },
    ]);
    const fleet = { customers: [] };
    expect(asOne({ workers: { '1': worker(10), '2': worker(15, fleet) } }).quota?.fleet).toBe(fleet);
  });

  it('may be none', () => {
    expect(asOne({ workers: {} })).toEqual({});
  });
});
