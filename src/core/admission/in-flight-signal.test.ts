import { describe, expect, it } from 'vitest';
import { InFlightSignal } from './in-flight-signal.js';

describe('InFlightSignal', () => {
  it('has the name by which reports tell it from others', () => {
    expect(new InFlightSignal(40).name).toBe('in-flight');
  });

  it('is the count over the limit, which may move', () => {
    const inFlight = new InFlightSignal(40);
    expect(inFlight.utilization(0)).toBe(0);
    inFlight.set(30);
    expect(inFlight.utilization(0)).toBe(0.75);
    inFlight.setLimit(20);
    expect(inFlight.utilization(0)).toBe(1.5);
    inFlight.set(0);
    expect(inFlight.utilization(0)).toBe(0);
  });

  it('takes what is no count as 0', () => {
    const inFlight = new InFlightSignal(40);
    inFlight.set(40);
    inFlight.set(Number.NaN);
    expect(inFlight.utilization(0)).toBe(0);
  });

  it('refuses an impossible limit, and then keeps the one it had', () => {
    expect(() => new InFlightSignal(0)).toThrow(new RangeError('limit must be a finite number > 0, got 0'));
    const inFlight = new InFlightSignal(40);
    inFlight.set(20);
    expect(() => inFlight.setLimit(Number.POSITIVE_INFINITY)).toThrow(
      'limit must be a finite number > 0, got Infinity',
    );
    expect(inFlight.utilization(0)).toBe(0.5);
  });
});
