import { describe, expect, it } from 'vitest';
import type { CapacityAsk, CapacityGrant } from './capacity-messages.js';
import { CapacityNode } from './capacity-node.js';
import type { CapacityServerOptions } from './capacity-options.js';

const LEASE_MS = 60_000;

function nodeOf(given: Partial<CapacityServerOptions> = {}): CapacityNode {
  return new CapacityNode(0, { client: 'node', life: 'n1' }, () => 0, { learningMs: 0, ...given });
}

let turns = 0;

function asks(client: string, wants: number, has = 0, priority = 0): CapacityAsk {
  return { client, life: 'x', turn: ++turns, has, bands: [{ priority, wants, subclients: 1 }] };
}

/** Its parent answers. */
function lease(node: CapacityNode, now: number, grant: Partial<CapacityGrant>): CapacityAsk {
  const ask = node.ask(now);
  const whole = {
    capacity: 0,
    validMs: LEASE_MS,
    refreshMs: 16_000,
    safeCapacity: 0,
    inherited: 0,
    ...grant,
  };
  expect(node.granted(now, ask.turn, whole)).toBe(true);
  return ask;
}

describe('CapacityNode', () => {
  it('asks for what its clients want together, soon after they say so', () => {
    const node = nodeOf();
    expect(node.ask(0)).toMatchObject({ client: 'node', life: 'n1', has: 0, bands: [] });
    node.failed(0, 1);
    expect(node.askAtMs).toBe(1_000);
    lease(node, 1_000, {});
    expect(node.askAtMs).toBe(17_000);
    node.refresh(1_100, asks('a', 30));
    node.refresh(1_200, asks('b', 40));
    node.refresh(1_300, asks('c', 5, 0, 4));
    expect(node.askAtMs).toBe(2_000);
    expect(node.ask(2_000).bands).toEqual([
      { priority: 4, wants: 5, subclients: 1 },
      { priority: 0, wants: 70, subclients: 2 },
    ]);
    // They are gone.
    expect(node.ask(100_000).bands).toEqual([]);
  });

  it('asks again as its options say until its parent says how often', () => {
    const node = nodeOf({ hurryMs: 200, refreshMs: 500 });
    const waits = [0, 1_000, 2_000].map((now) => {
      node.failed(now, node.ask(now).turn);
      return node.askAtMs - now;
    });
    expect(waits).toEqual([200, 400, 500]);
  });

  it('answers nobody before it has a lease', () => {
    const node = nodeOf();
    expect(node.refresh(0, asks('a', 30))).toBeUndefined();
    expect(node.snapshot(0)).toEqual({ capacity: 0, handedOut: 0, wants: 30, clients: 1, isLearning: false });
    lease(node, 1, { capacity: 20 });
    expect(node.refresh(2, asks('a', 30))).toMatchObject({ capacity: 20 });
  });

  it('gives no lease that outlives its own, and has it asked for in time', () => {
    const node = nodeOf();
    lease(node, 0, { capacity: 50, validMs: 9_000 });
    const grant = node.refresh(3_000, asks('a', 30))!;
    expect(grant.validMs).toBeLessThanOrEqual(6_000);
    expect(grant.validMs).toBeGreaterThan(5_990);
    expect(grant.refreshMs).toBeCloseTo(2_000, -1);
    expect(node.refresh(8_999, asks('a', 30, 30))!.refreshMs).toBe(1_000);
    expect(node.refresh(9_000, asks('a', 30, 0))).toBeUndefined();
  });

  it('divides the safe capacity when its lease has ended', () => {
    const node = nodeOf();
    lease(node, 0, { capacity: 50, safeCapacity: 8 });
    expect(node.refresh(1, asks('a', 30))).toMatchObject({ capacity: 30, safeCapacity: 8 });
    node.refresh(2, asks('b', 30));
    // All leases have ended: who asks first has it, until another asks.
    expect(node.refresh(LEASE_MS, asks('a', 30))).toMatchObject({ capacity: 8, safeCapacity: 8 });
    expect(node.refresh(LEASE_MS, asks('b', 30))).toMatchObject({ capacity: 0, safeCapacity: 4 });
    expect(node.refresh(LEASE_MS, asks('a', 30, 8))).toMatchObject({ capacity: 4, safeCapacity: 4 });
    expect(node.snapshot(LEASE_MS)).toMatchObject({ capacity: 8, handedOut: 8 });
  });

  it('forgets a client with the end of its own lease, whatever that client said to have', () => {
    const node = nodeOf();
    lease(node, 0, { capacity: 50, validMs: 9_000 });
    node.refresh(1, asks('a', 30, 30));
    expect(node.snapshot(8_999)).toMatchObject({ clients: 1, wants: 30 });
    expect(node.snapshot(9_000)).toMatchObject({ clients: 0, wants: 0 });
  });

  it('says what is still out when it is granted less', () => {
    const node = nodeOf();
    lease(node, 0, { capacity: 50 });
    node.refresh(1, asks('a', 50));
    lease(node, 1_000, { capacity: 20 });
    expect(node.ask(2_000).has).toBe(50);
    // It gives up what is told to give up, and goes on to say so until it is.
    expect(node.refresh(2_100, asks('a', 50, 50))).toMatchObject({ capacity: 20, refreshMs: 1_000 });
    expect(node.ask(2_200).has).toBe(50);
    node.refresh(2_300, asks('a', 50, 20));
    expect(node.ask(2_400).has).toBe(20);
    // What it said holds: nobody gets it again.
    expect(node.refresh(2_500, asks('b', 50))).toMatchObject({ capacity: 0 });
  });

  it('does not hand out beyond the end of a larger lease what only that one had', () => {
    const node = nodeOf();
    lease(node, 0, { capacity: 50 });
    node.refresh(1, asks('a', 10));
    lease(node, 1_000, { capacity: 20 });
    expect(node.refresh(1_100, asks('b', 40))).toMatchObject({ capacity: 10 });
    node.refresh(1_200, asks('a', 10, 10));
    expect(node.refresh(1_300, asks('b', 40, 10))).toMatchObject({ capacity: 10 });
  });

  it('keeps to what it has said, with leases that are shorter than its own', () => {
    const node = nodeOf({ leaseMs: 10_000, refreshMs: 5_000 });
    lease(node, 0, { capacity: 50 });
    node.refresh(1, asks('a', 50));
    lease(node, 1_000, { capacity: 20 });
    node.refresh(1_100, asks('a', 20, 50));
    node.refresh(1_200, asks('a', 20, 20));
    expect(node.ask(1_300).has).toBe(20);
    expect(node.refresh(1_400, asks('b', 40))).toMatchObject({ capacity: 0 });
  });

  it('ignores answers that are of no more use', () => {
    const node = nodeOf();
    const { turn } = node.ask(0);
    node.ask(1);
    const late = { capacity: 9, validMs: LEASE_MS, refreshMs: 1, safeCapacity: 0, inherited: 0 };
    expect(node.granted(2, turn, late)).toBe(false);
    expect(node.snapshot(2).capacity).toBe(0);
  });

  it('gives what is released to others', () => {
    const node = nodeOf();
    lease(node, 0, { capacity: 50 });
    node.refresh(1, asks('a', 50));
    node.release({ client: 'a', life: 'x' });
    expect(node.refresh(2, asks('b', 50))).toMatchObject({ capacity: 50 });
  });

  describe('while it learns', () => {
    const learning = () => nodeOf({ learningMs: undefined });

    it('wants no more than it has heard of, as long as its parent does not know what is out', () => {
      const node = learning();
      node.refresh(0, asks('a', 80, 30));
      node.refresh(0, asks('b', 40, 20, 1));
      expect(node.ask(1).bands).toEqual([
        { priority: 1, wants: 40, subclients: 1 },
        { priority: 0, wants: 10, subclients: 1 },
      ]);
      node.granted(1, 1, {
        capacity: 50,
        validMs: LEASE_MS,
        refreshMs: 1,
        safeCapacity: 0,
        inherited: undefined,
      });
      expect(node.refresh(2, asks('a', 80, 30))).toMatchObject({ capacity: 30 });
      expect(node.snapshot(2)).toMatchObject({ isLearning: true, handedOut: 50, wants: 50 });
    });

    it('tells nobody to use less while its own lease may grow', () => {
      const node = learning();
      node.refresh(0, asks('a', 30, 30));
      lease(node, 1, { capacity: 30, inherited: 50 });
      expect(node.refresh(2, asks('a', 30, 30))).toMatchObject({ capacity: 30 });
      expect(node.refresh(3, asks('b', 20, 20))).toBeUndefined();
      lease(node, 1_000, { capacity: 40, inherited: 50 });
      // This is all there is: now it divides.
      expect(node.refresh(1_100, asks('b', 20, 20))).toMatchObject({ capacity: 10 });
      expect(node.snapshot(1_100).isLearning).toBe(false);
    });

    it('goes on granting what a client has while its own lease may grow', () => {
      const node = learning();
      node.refresh(0, asks('a', 30, 30));
      lease(node, 1, { capacity: 30, inherited: 50 });
      expect(node.refresh(2, asks('a', 60, 30))).toMatchObject({ capacity: 30 });
    });

    it('divides the safe capacity when its lease has ended, though clients have more', () => {
      const node = learning();
      lease(node, 0, { capacity: 50, validMs: 9_000, safeCapacity: 8, inherited: 60 });
      expect(node.refresh(9_000, asks('a', 30, 30))).toMatchObject({ capacity: 8 });
    });

    it('wants nothing more for a client whose lease has ended', () => {
      const node = learning();
      lease(node, 0, { capacity: 50, validMs: 9_000 });
      node.refresh(1, asks('a', 30));
      expect(node.snapshot(8_999).wants).toBe(30);
      expect(node.ask(9_000).bands).toEqual([]);
    });

    it('divides when it has less than was out, though not all are heard', () => {
      const node = learning();
      node.refresh(0, asks('a', 30, 30));
      node.refresh(0, asks('b', 30, 30));
      lease(node, 1, { capacity: 40, inherited: 100 });
      expect(node.refresh(2, asks('a', 30, 30))).toMatchObject({ capacity: 20 });
      expect(node.refresh(3, asks('b', 30, 30))).toMatchObject({ capacity: 20 });
    });

    it('has nothing to learn if nothing was out', () => {
      const node = learning();
      lease(node, 0, { capacity: 50, inherited: 0 });
      expect(node.refresh(1, asks('a', 30))).toMatchObject({ capacity: 30 });
      expect(node.snapshot(1).isLearning).toBe(false);
    });

    it('wants all that its clients do when its parent knows what is out', () => {
      const node = learning();
      lease(node, 0, { capacity: 10, inherited: 60 });
      node.refresh(1, asks('a', 90, 20));
      expect(node.ask(2).bands).toEqual([{ priority: 0, wants: 90, subclients: 1 }]);
    });

    it('leaves what those who were not heard may have, and says that it is out', () => {
      const node = learning();
      lease(node, 0, { capacity: 100, inherited: 60 });
      expect(node.refresh(1, asks('a', 90, 20))).toMatchObject({ capacity: 60 });
      lease(node, 2, { capacity: 50, inherited: 60 });
      expect(node.ask(3).has).toBe(100);
    });
  });

  it('refuses what cannot be', () => {
    expect(() => nodeOf({ algorithm: 'static' })).toThrow(
      'algorithm must be one of proportional, fair, got "static"',
    );
    expect(() => nodeOf({ capacity: 1 } as object)).toThrow('capacity node has no option "capacity"');
    expect(() => nodeOf({ leaseMs: -1 })).toThrow('leaseMs must be from 1 to 86400000, got -1');
  });
});
