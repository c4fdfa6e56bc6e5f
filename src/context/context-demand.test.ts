import { describe, expect, it } from 'vitest';
import { ContextDemand } from './context-demand.js';

/** That many requests, `now` told whenever it is asked for. Returns how often it was. */
function serve(demand: ContextDemand, requests: number, now: number): number {
  let looks = 0;
  for (let index = 0; index < requests; index++) {
    if (!demand.onRequest()) continue;
    looks += 1;
    demand.look(now);
  }
  return looks;
}

describe('ContextDemand', () => {
  it('is wanted from the start', () => {
    expect(new ContextDemand(0).isWanted).toBe(true);
  });

  it('is given up after 1,000 requests and 10 s without a question', () => {
    const demand = new ContextDemand(5_000);
    serve(demand, 999, 15_000);
    expect(demand.isWanted).toBe(true);
    serve(demand, 1, 15_000);
    expect(demand.isWanted).toBe(false);
  });

  it('is kept while the time is not over, however many requests there are', () => {
    const demand = new ContextDemand(0);
    serve(demand, 100_000, 9_999);
    expect(demand.isWanted).toBe(true);
    serve(demand, 1_000, 10_000);
    expect(demand.isWanted).toBe(false);
  });

  it('looks at the clock once in 1,000 requests', () => {
    expect(serve(new ContextDemand(0), 100_000, 0)).toBe(100);
  });

  it('is kept for good once somebody has asked, and looks no more', () => {
    const demand = new ContextDemand(0);
    demand.onAsked();
    expect(serve(demand, 100_000, 3_600_000)).toBe(0);
    expect(demand.isWanted).toBe(true);
  });

  it('is taken up again for good when somebody asks later', () => {
    const demand = new ContextDemand(0);
    serve(demand, 1_000, 10_000);
    demand.onAsked();
    expect(demand.isWanted).toBe(true);
    expect(serve(demand, 10_000, 3_600_000)).toBe(0);
    expect(demand.isWanted).toBe(true);
  });

  it('refuses impossible options', () => {
    expect(() => new ContextDemand(0, { quietRequests: 0 })).toThrow('quietRequests must be an integer >= 1');
    expect(() => new ContextDemand(0, { quietMs: -1 })).toThrow('quietMs must be a finite number >= 0');
  });
});
