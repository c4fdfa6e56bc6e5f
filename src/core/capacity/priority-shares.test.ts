import { describe, expect, it } from 'vitest';
import type { CapacityBand } from './capacity-messages.js';
import { priorityShares } from './priority-shares.js';

const want = (wants: number, priority = 0, subclients = 1): CapacityBand => ({ priority, wants, subclients });

describe('priorityShares', () => {
  it('divides one priority by the algorithm', () => {
    expect(priorityShares('fair', 120, [[want(1000)], [want(60)], [want(10)]])).toEqual([55, 55, 10]);
    expect(priorityShares('proportional', 120, [[want(65, 0, 3)], [want(45, 0, 2)], [want(20)]])).toEqual([
      60, 40, 20,
    ]);
  });

  it('serves what is wanted at a higher priority first', () => {
    const clients = [[want(80, 1)], [want(80, 5)], [want(80, 1)]];
    expect(priorityShares('fair', 100, clients)).toEqual([10, 80, 10]);
    expect(priorityShares('fair', 60, clients)).toEqual([0, 60, 0]);
  });

  it('adds up the bands of a client', () => {
    expect(priorityShares('fair', 100, [[want(40, 2), want(100, 1)], [want(30, 1)], []])).toEqual([
      70, 30, 0,
    ]);
  });

  it('caps each client by itself when static', () => {
    const clients = [[want(100)], [want(10)], [want(80, 0), want(80, 3)]];
    expect(priorityShares('static', 100, clients)).toEqual([100, 10, 100]);
  });
});
