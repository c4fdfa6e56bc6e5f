import { describe, expect, it } from 'vitest';
import { CapacityLease, type CapacityLeaseOptions } from './capacity-lease.js';
import type { CapacityGrant } from './capacity-messages.js';

const GRANT: CapacityGrant = {
  capacity: 50,
  validMs: 60_000,
  refreshMs: 16_000,
  safeCapacity: 5,
  inherited: undefined,
};
const band = (wants: number, priority = 0) => ({ priority, wants, subclients: 1 });

function leaseOf(given: Partial<CapacityLeaseOptions> = {}, random = () => 0): CapacityLease {
  return new CapacityLease({ client: 'a', life: 'x' }, random, given);
}

describe('CapacityLease', () => {
  it('asks at once, and says what it wants', () => {
    const lease = leaseOf();
    lease.want([band(7)]);
    expect(lease.askAtMs).toBeLessThan(0);
    expect(lease.ask(1_000)).toEqual({ client: 'a', life: 'x', turn: 1, has: 0, bands: [band(7)] });
    expect(lease.askAtMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('wants nothing until it is told what', () => {
    expect(leaseOf().ask(0).bands).toEqual([]);
  });

  it('holds from when it was asked for', () => {
    const lease = leaseOf();
    lease.ask(1_000);
    expect(lease.granted(3_000, 1, { ...GRANT, inherited: 9 })).toBe(true);
    expect([lease.capacity(60_999), lease.leased(60_999)]).toEqual([50, 50]);
    expect([lease.capacity(61_000), lease.leased(61_000)]).toEqual([5, 0]);
    expect([lease.endsMs, lease.safeCapacity, lease.inherited]).toEqual([61_000, 5, 9]);
    expect(lease.ask(4_000).has).toBe(50);
    lease.failed(5_000, 2);
    expect(lease.ask(70_000).has).toBe(0);
    expect(lease.ask(70_000, 12).has).toBe(12);
  });

  it('uses what was set as safe until it is told', () => {
    expect(leaseOf().capacity(0)).toBe(0);
    expect(leaseOf({ safeCapacity: 3 }).capacity(0)).toBe(3);
  });

  it('believes the answer to its latest ask only, and once', () => {
    const lease = leaseOf();
    lease.ask(0);
    lease.failed(1_000, 1);
    expect(lease.granted(1_500, 1, GRANT)).toBe(false);
    lease.ask(2_000);
    expect(lease.granted(2_100, 1, GRANT)).toBe(false);
    expect(lease.capacity(2_100)).toBe(0);
    expect(lease.granted(2_200, 2, GRANT)).toBe(true);
    lease.failed(2_300, 2);
    expect(lease.askAtMs).toBe(18_200);
  });

  it('asks again after the time it was told, a little sooner by chance, and not at once', () => {
    const lease = leaseOf({}, () => 0.5);
    lease.ask(0);
    lease.granted(100, 1, GRANT);
    expect(lease.askAtMs).toBe(100 + 14_400);
    lease.ask(20_000);
    lease.granted(20_000, 2, { ...GRANT, refreshMs: 0 });
    expect(lease.askAtMs).toBe(20_900);
  });

  it('asks sooner when it wants a quarter more at some priority, but not within the hurry', () => {
    const lease = leaseOf();
    lease.want([band(8), band(4, 3)]);
    lease.ask(0);
    lease.granted(0, 1, GRANT);
    expect(lease.isProvisional).toBe(false);
    lease.want([band(10), band(4, 3)]);
    expect([lease.askAtMs, lease.isProvisional]).toEqual([16_000, true]);
    lease.want([band(8), band(5.1, 3)]);
    expect(lease.askAtMs).toBe(1_000);
    lease.want([band(0.1, 5)]);
    expect(lease.askAtMs).toBe(1_000);
    lease.ask(1_000);
    expect(lease.isProvisional).toBe(true);
  });

  it('waits longer with each failure, whatever it wants, but no longer than between asks', () => {
    const lease = leaseOf();
    lease.want([band(8)]);
    const waits = Array.from({ length: 20 }, (_, i) => {
      const { turn } = lease.ask(i);
      lease.want([band(8 * 2 ** i)]);
      lease.failed(i, turn);
      return lease.askAtMs - i;
    });
    expect(waits.slice(0, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 16_000]);
    expect(waits[19]).toBe(16_000);
    const { turn } = lease.ask(100);
    lease.granted(100, turn, { ...GRANT, refreshMs: 3_000 });
    expect(lease.askAtMs).toBe(3_100);
    lease.failed(200, lease.ask(200).turn);
    expect(lease.askAtMs).toBe(1_200);
  });

  it('uses nothing once it is released, whatever still arrives', () => {
    const lease = leaseOf();
    lease.granted(0, lease.ask(0).turn, GRANT);
    const { turn } = lease.ask(10);
    expect(lease.release()).toEqual({ client: 'a', life: 'x' });
    expect(lease.granted(20, turn, GRANT)).toBe(false);
    expect([lease.capacity(20), lease.leased(20)]).toEqual([0, 0]);
  });

  it('refuses what cannot be', () => {
    expect(() => leaseOf({ safeCapacity: -1 })).toThrow('safeCapacity must be a finite number >= 0, got -1');
    expect(() => leaseOf({ hurryMs: 0 })).toThrow('hurryMs must be a finite number > 0, got 0');
    expect(() => leaseOf({ hurry: 1 } as object)).toThrow('capacity lease has no option "hurry"');
    expect(() => leaseOf({ refreshMs: 0 })).toThrow('refreshMs must be a finite number > 0, got 0');
  });
});
