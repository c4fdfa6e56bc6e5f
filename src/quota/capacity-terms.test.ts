import { describe, expect, it } from 'vitest';
import { CapacityTerms } from './capacity-terms.js';

const ask = (turn: number) => ({
  client: 'a',
  life: 'b',
  turn,
  has: 0,
  bands: [{ priority: 0, wants: 500, subclients: 1 }],
});

function terms(learningMs: number | undefined): CapacityTerms {
  return new CapacityTerms({ gpu: { capacity: 100, learningMs } }, undefined);
}

describe('terms of a capacity server', () => {
  it('have books of their own', () => {
    const server = terms(0);
    const first = server.enter(0, 1).get('gpu')!;
    expect(first.refresh(0, ask(1))).toMatchObject({ capacity: 100 });
    expect(server.enter(10, 1).get('gpu')).toBe(first);
    const second = server.enter(20, 2).get('gpu')!;
    expect(second.snapshot(20)).toMatchObject({ handedOut: 0, clients: 0 });
  });

  it('begin by learning', () => {
    const server = terms(undefined);
    server.enter(0, 1);
    expect(server.enter(100_000, 1).get('gpu')!.snapshot(100_000).isLearning).toBe(false);
    expect(server.enter(100_000, 2).get('gpu')!.snapshot(100_000).isLearning).toBe(true);
  });

  it('hand out nothing in between', () => {
    const server = terms(0);
    server.enter(0, 1);
    expect(server.enter(10, undefined).size).toBe(0);
    // The same token is another term all the same.
    expect(server.enter(20, 1).get('gpu')!.snapshot(20).clients).toBe(0);
    expect(server.has('gpu')).toBe(true);
    expect(server.has('tpu')).toBe(false);
  });

  it('keep a capacity that was set, whoever was master then', () => {
    const server = terms(0);
    server.setCapacity(0, 'gpu', 50);
    expect(server.enter(0, 1).get('gpu')!.snapshot(0).capacity).toBe(50);
    server.setCapacity(10, 'gpu', 40);
    expect(server.enter(10, 1).get('gpu')!.snapshot(10).capacity).toBe(40);
    expect(server.enter(20, 2).get('gpu')!.snapshot(20).capacity).toBe(40);
  });

  it('are refused at once with options that cannot be', () => {
    expect(() => new CapacityTerms({ gpu: {} }, undefined)).toThrow('capacity must be');
    expect(() => new CapacityTerms({ gpu: { capacity: 1, leaseMs: 0 } }, undefined)).toThrow(
      'leaseMs must be',
    );
  });
});
