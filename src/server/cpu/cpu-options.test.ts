import { describe, expect, it } from 'vitest';
import { CPU_DEFAULTS, type CpuMode, checkCpuOptions } from './cpu-options.js';

describe('checkCpuOptions', () => {
  it('has defaults', () => {
    expect(checkCpuOptions()).toEqual(CPU_DEFAULTS);
    expect(checkCpuOptions({ mode: 'exact', duty: 1, budget: 1 })).toEqual({
      ...CPU_DEFAULTS,
      mode: 'exact',
      duty: 1,
      budget: 1,
    });
  });

  it.each([
    [{ mode: 'precise' as CpuMode }, 'mode must be one of exact, sampled, off, got "precise"'],
    [{ machineFactor: 0 }, 'machineFactor must be a finite number > 0, got 0'],
    [{ budget: 0 }, 'budget must be a finite number > 0, got 0'],
    [{ budget: 1.1 }, 'budget must be from 0 to 1, got 1.1'],
    [{ duty: 0 }, 'duty must be a finite number > 0, got 0'],
    [{ duty: 2 }, 'duty must be from 0 to 1, got 2'],
    [{ maxRoutes: 0 }, 'maxRoutes must be an integer >= 1, got 0'],
    [{ maxCustomers: 0.5 }, 'maxCustomers must be an integer >= 1, got 0.5'],
  ])('refuses %j', (given, message) => {
    expect(() => checkCpuOptions(given)).toThrow(new RangeError(message));
  });
});
