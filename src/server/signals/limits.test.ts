import { describe, expect, it } from 'vitest';
import { Limits } from './limits.js';

describe('Limits', () => {
  it('follows what is found', () => {
    let found = { processors: 2, memoryBytes: 1_000 };
    const limits = new Limits(() => found);
    limits.read();
    expect(limits).toMatchObject({ processors: 2, memoryBytes: 1_000, name: 'limits', intervalMs: 30_000 });
    found = { processors: 4, memoryBytes: 2_000 };
    expect(limits.processors).toBe(2);
    limits.read();
    expect([limits.processors, limits.memoryBytes]).toEqual([4, 2_000]);
  });

  it('lets one processor and any memory pass until something is found', () => {
    const limits = new Limits(() => {
      throw new Error('no files left');
    });
    expect(() => limits.read()).toThrow('no files left');
    expect([limits.processors, limits.memoryBytes]).toEqual([1, Number.POSITIVE_INFINITY]);
  });

  it('obeys the user first', () => {
    const limits = new Limits(() => ({ processors: 8, memoryBytes: 4_000 }), 0.5, 500);
    limits.read();
    expect([limits.processors, limits.memoryBytes]).toEqual([0.5, 500]);
  });

  it('refuses impossible ones', () => {
    const find = () => ({ processors: 1, memoryBytes: 1 });
    expect(() => new Limits(find, 0)).toThrow('signals.cpu.processors must be a finite number > 0, got 0');
    expect(() => new Limits(find, 1, -1)).toThrow(
      'signals.memory.limitBytes must be a finite number > 0, got -1',
    );
  });
});
