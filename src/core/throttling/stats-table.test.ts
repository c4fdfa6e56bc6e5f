import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRITICALITIES, type Criticality } from '../criticality.js';
import { StatsTable } from './stats-table.js';

const WINDOW = { windowMs: 120_000, slots: 24 };

describe('StatsTable', () => {
  it('gives the same statistics for the same three keys, and others for any other', () => {
    const table = new StatsTable({ ...WINDOW, maxKeys: 100 });
    const keys: [string, string, Criticality][] = [];
    for (const service of ['a', 'b'])
      for (const customer of ['a', 'b', 'ab', ''])
        for (const criticality of CRITICALITIES) keys.push([service, customer, criticality]);
    const found = keys.map((key) => table.get(...key));
    expect(new Set(found).size).toBe(32);
    expect(keys.map((key) => table.get(...key))).toEqual(found);
    expect(found.map(({ service, customer, criticality }) => [service, customer, criticality])).toEqual(keys);
    expect(table.size).toBe(32);
  });

  it('does not take the name of a method for a customer', () => {
    const table = new StatsTable({ ...WINDOW, maxKeys: 10 });
    for (const name of ['constructor', '__proto__', 'size'])
      expect(table.get(name, name, 'CRITICAL').customer).toBe(name);
    expect(table.size).toBe(3);
  });

  it('drops the least recently used, and then knows nothing of it', () => {
    const table = new StatsTable({ ...WINDOW, maxKeys: 3 });
    const get = (customer: string) => table.get('s', customer, 'CRITICAL');
    const recent = () => Array.from(table.recent(), ({ customer }) => customer);
    const [a, b] = ['a', 'b', 'c'].map(get);
    expect(recent()).toEqual(['c', 'b', 'a']);
    expect(get('a')).toBe(a);
    expect(recent()).toEqual(['a', 'c', 'b']);
    get('d');
    expect(recent()).toEqual(['d', 'a', 'c']);
    expect(table.size).toBe(3);
    expect(get('b')).not.toBe(b);
    expect(recent()).toEqual(['b', 'd', 'a']);
  });

  it('can hold a single one', () => {
    const table = new StatsTable({ ...WINDOW, maxKeys: 1 });
    const first = table.get('s', 'a', 'CRITICAL');
    expect(table.get('s', 'a', 'SHEDDABLE')).not.toBe(first);
    expect(table.get('s', 'a', 'CRITICAL')).not.toBe(first);
    expect(Array.from(table.recent(), ({ criticality }) => criticality)).toEqual(['CRITICAL']);
  });

  it('keeps no name of what it dropped', () => {
    const table = new StatsTable({ ...WINDOW, maxKeys: 8 });
    for (let i = 0; i < 500; i++)
      for (const criticality of CRITICALITIES) table.get(`s${i >> 3}`, `c${i}`, criticality);
    expect(table.size).toBe(8);
    // One service with two customers of four criticalities each.
    expect(table.names).toBe(3);
  });

  it('does not hold on to what a dropped one was next to', () => {
    const table = new StatsTable({ ...WINDOW, maxKeys: 2 });
    const dropped = table.get('s', 'a', 'CRITICAL');
    table.get('s', 'b', 'CRITICAL');
    table.get('s', 'c', 'CRITICAL');
    expect(dropped.newer).toBe(dropped);
    expect(dropped.older).toBe(dropped);
  });

  it('refuses what is no criticality', () => {
    const table = new StatsTable({ ...WINDOW, maxKeys: 2 });
    expect(() => table.get('s', 'a', 'critical' as Criticality)).toThrow(
      new RangeError(
        'criticality must be one of SHEDDABLE, SHEDDABLE_PLUS, CRITICAL, CRITICAL_PLUS, got "critical"',
      ),
    );
    expect(table.size).toBe(0);
  });

  it('does what a list in the order of use would', () => {
    const key = fc.tuple(
      fc.constantFrom('s', 't'),
      fc.constantFrom('a', 'b', 'c'),
      fc.constantFrom(...CRITICALITIES),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 150 }), fc.integer({ min: 1, max: 12 }), (keys, maxKeys) => {
        const table = new StatsTable({ ...WINDOW, maxKeys });
        let list: { name: string; stats: object }[] = [];
        for (const [service, customer, criticality] of keys) {
          const stats = table.get(service, customer, criticality);
          const name = `${service} ${customer} ${criticality}`;
          const known = list.find((one) => one.name === name);
          const isRight = known ? stats === known.stats : list.every((one) => one.stats !== stats);
          list = [{ name, stats }, ...list.filter((one) => one !== known)].slice(0, maxKeys);
          const recent = [...table.recent()];
          const isInOrder = recent.every((one, place) => one === list[place]?.stats);
          expect([isRight, isInOrder, recent.length, table.size]).toEqual([
            true,
            true,
            list.length,
            list.length,
          ]);
        }
      }),
    );
  });
});
