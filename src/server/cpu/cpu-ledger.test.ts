import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CpuLedger } from './cpu-ledger.js';

function ledger(processMs = 0, othersMs = 0, now = 0): CpuLedger {
  return new CpuLedger(10, 10, processMs, othersMs, now);
}

function measure(books: CpuLedger, route: string, ms: number): void {
  books.routes.of(route).post(ms, 1);
  books.customers.of('mail').post(ms, 1);
  books.criticalities.of('CRITICAL').post(ms, 1);
}

describe('CpuLedger', () => {
  it('splits what the process used: requests, and the rest is overhead', () => {
    const books = ledger(1_000, 0, 5_000);
    measure(books, '/a', 300);
    books.postEstimate('/b', 'mail', 'SHEDDABLE', 100);
    books.settle(1_600, 0, 1, 7_000);
    const { total, perSecond, byRoute, byCustomer, byCriticality } = books.totals(1);
    expect(total).toEqual({ processMs: 600, requestsMs: 400, otherGuardsMs: 0, overheadMs: 200 });
    expect(perSecond).toEqual({ processMs: 300, requestsMs: 200, otherGuardsMs: 0, overheadMs: 100 });
    expect(byRoute.map(({ name, totalMs, requests }) => [name, totalMs, requests])).toEqual([
      ['other', 0, 0],
      ['/a', 300, 1],
      ['/b', 100, 1],
    ]);
    expect(byCustomer.at(-1)).toEqual({ name: 'mail', requests: 2, totalMs: 400, msPerSecond: 200 });
    expect(byCriticality.map(({ name, totalMs }) => [name, totalMs])).toEqual([
      ['other', 0],
      ['CRITICAL', 300],
      ['SHEDDABLE', 100],
    ]);
    expect([books.requestsMs, books.settledAtMs]).toEqual([400, 7_000]);
  });

  it('scales what was measured, not what was estimated', () => {
    const books = ledger();
    measure(books, '/a', 300);
    books.postEstimate('/b', 'mail', 'CRITICAL', 100);
    books.settle(1_000, 0, 0.5, 1_000);
    expect(books.totals(1).byRoute.map(({ totalMs }) => totalMs)).toEqual([0, 150, 100]);
    expect(books.totals(1).total.overheadMs).toBe(750);
  });

  it('gives requests no more than the process used', () => {
    const books = ledger();
    measure(books, '/a', 300);
    books.postEstimate('/b', 'mail', 'CRITICAL', 100);
    books.settle(200, 0, 1, 1_000);
    const { total, byRoute } = books.totals(1);
    expect(total).toEqual({ processMs: 200, requestsMs: 200, otherGuardsMs: 0, overheadMs: 0 });
    expect(byRoute.map(({ totalMs }) => totalMs)).toEqual([0, 150, 50]);
  });

  it('lets them have what was taken for overhead shortly before', () => {
    const books = ledger();
    books.settle(300, 0, 1, 1_000);
    measure(books, '/a', 450);
    books.settle(500, 0, 1, 2_000);
    expect(books.totals(1).total).toEqual({
      processMs: 500,
      requestsMs: 450,
      otherGuardsMs: 0,
      overheadMs: 50,
    });
    expect(books.totals(1).perSecond.overheadMs).toBe(-250);
  });

  it('has forgotten after an hour what was overhead then', () => {
    const books = ledger();
    books.settle(1_000, 0, 1, 1_000);
    books.settle(1_000, 0, 1, 3_601_000);
    books.postEstimate('/a', 'mail', 'CRITICAL', 500);
    books.settle(1_100, 0, 1, 3_602_000);
    expect(books.totals(1).total.requestsMs).toBeCloseTo(100, 6);
  });

  it('keeps requests of other guards apart', () => {
    const books = ledger(0, 5_000);
    measure(books, '/a', 300);
    books.settle(1_000, 5_400, 1, 1_000);
    expect(books.totals(1).total).toEqual({
      processMs: 1_000,
      requestsMs: 300,
      otherGuardsMs: 400,
      overheadMs: 300,
    });
  });

  it('books of theirs what does not fit into a second with the next', () => {
    const books = ledger();
    books.settle(100, 150, 1, 1_000);
    expect(books.totals(1).total.otherGuardsMs).toBe(100);
    books.settle(200, 150, 1, 2_000);
    expect(books.totals(1).total).toEqual({
      processMs: 200,
      requestsMs: 0,
      otherGuardsMs: 150,
      overheadMs: 50,
    });
  });

  it('settles nothing when no time has passed', () => {
    const books = ledger();
    books.postEstimate('/a', 'mail', 'CRITICAL', 10);
    books.settle(100, 0, 1, 0);
    expect(books.totals(1).total.processMs).toBe(0);
    books.settle(100, 0, 1, 1_000);
    expect(books.totals(1).total.requestsMs).toBe(10);
  });

  it('does not believe a counter that goes back', () => {
    const books = ledger(500, 500);
    books.settle(100, 100, 1, 1_000);
    expect(books.totals(1).total).toEqual({
      processMs: 0,
      requestsMs: 0,
      otherGuardsMs: 0,
      overheadMs: 0,
    });
    books.settle(150, 100, 1, 2_000);
    expect(books.totals(1).total.processMs).toBe(50);
  });

  it('multiplies all of it by the factor asked for', () => {
    const books = ledger();
    books.postEstimate('/a', 'mail', 'CRITICAL', 10);
    books.settle(100, 20, 1, 1_000);
    const { total, perSecond, byRoute } = books.totals(2);
    const doubled = { processMs: 200, requestsMs: 20, otherGuardsMs: 40, overheadMs: 140 };
    expect([total, perSecond, byRoute.at(-1)!.totalMs]).toEqual([doubled, doubled, 20]);
  });

  it('adds up, whatever is posted', () => {
    const amount = fc.integer({ min: 0, max: 2_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(amount, amount, amount, amount)), (seconds) => {
        const books = ledger();
        let [processMs, othersMs] = [0, 0];
        for (const [index, [used, others, measured, estimated]] of seconds.entries()) {
          measure(books, `/${index % 3}`, measured);
          books.postEstimate('/x', `c${index % 20}`, 'SHEDDABLE', estimated);
          processMs += used;
          othersMs += others;
          books.settle(processMs, othersMs, 0.9, (index + 1) * 1_000);
        }
        const { total, byRoute, byCustomer, byCriticality } = books.totals(1);
        expect(total.processMs).toBe(processMs);
        expect(total.requestsMs + total.otherGuardsMs + total.overheadMs).toBeCloseTo(processMs, 6);
        expect(total.overheadMs).toBeGreaterThanOrEqual(-1e-6);
        for (const accounts of [byRoute, byCustomer, byCriticality]) {
          const sum = accounts.reduce((all, { totalMs }) => all + totalMs, 0);
          expect(sum).toBeCloseTo(total.requestsMs, 6);
        }
      }),
    );
  });
});
