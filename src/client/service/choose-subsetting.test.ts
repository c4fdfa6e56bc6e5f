import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Subset } from '../../core/index.js';
import { chooseSubsetting } from './choose-subsetting.js';

const SUBSET = { size: 20, seed: 7, algorithm: undefined, seats: undefined } as const;

beforeEach(() => {
  // Whatever the tests run in may have one.
  vi.stubEnv('PLIMSOLL_CLIENT_ID', '');
  vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

describe('chooseSubsetting', () => {
  it('is none where none is wanted', () => {
    expect(chooseSubsetting(undefined, 3, () => 0, false)).toEqual({
      options: undefined,
      seats: 'sorted',
      isAnonymous: false,
    });
  });

  it('is rocksteadier for a client with a number, given or from the environment', () => {
    const options = { size: 20, seed: 7, clientId: 3, algorithm: 'rocksteadier' };
    expect(chooseSubsetting(SUBSET, 3, () => 0, false)).toEqual({
      options,
      seats: 'hashed',
      isAnonymous: false,
    });
    vi.stubEnv('PLIMSOLL_CLIENT_ID', '5');
    expect(chooseSubsetting(SUBSET, undefined, () => 0, false).options?.clientId).toBe(5);
    // What code says goes first; 0 is a number as well.
    expect(chooseSubsetting(SUBSET, 0, () => 0, false).options?.clientId).toBe(0);
  });

  it('is what was asked for', () => {
    for (const algorithm of ['random', 'deterministic', 'rocksteadier'] as const)
      expect(chooseSubsetting({ ...SUBSET, algorithm }, 3, () => 0, false).options?.algorithm).toBe(
        algorithm,
      );
  });

  it('is random without a number, and anonymous unless that was asked for', () => {
    const chosen = chooseSubsetting(SUBSET, undefined, () => 0.5, false);
    const options = { size: 20, seed: 7, clientId: 0x3fff_ffff, algorithm: 'random' };
    expect(chosen).toEqual({ options, seats: 'hashed', isAnonymous: true });
    expect(chooseSubsetting({ ...SUBSET, algorithm: 'random' }, undefined, () => 0.5, false)).toEqual({
      options,
      seats: 'hashed',
      isAnonymous: false,
    });
  });

  it('seats backends by their order where the list stands still, else where few have to move', () => {
    const seats = (given: object, isFixed: boolean) =>
      chooseSubsetting({ ...SUBSET, ...given }, 3, () => 0, isFixed).seats;
    expect(seats({}, true)).toBe('sorted');
    expect(seats({}, false)).toBe('hashed');
    expect(seats({ algorithm: 'deterministic' }, false)).toBe('sorted');
    expect(seats({ seats: 'sorted' }, false)).toBe('sorted');
    expect(seats({ seats: 'hashed' }, true)).toBe('hashed');
  });

  it('draws a number that is one, whatever chance gives', () => {
    for (const chance of [0, 1 - 2 ** -53]) {
      const { options } = chooseSubsetting(SUBSET, undefined, () => chance, false);
      expect(() => new Subset(options!)).not.toThrow();
    }
  });

  it.each(['deterministic', 'rocksteadier'] as const)('refuses %s subsets without a number', (algorithm) => {
    const choose = () => chooseSubsetting({ ...SUBSET, algorithm }, undefined, () => 0, false);
    expect(choose).toThrow(RangeError);
    expect(choose).toThrow(`${algorithm} subsets need a clientId`);
  });
});

describe('warnOfAnonymity', () => {
  it('warns once, and says what to do', async () => {
    // A fresh one: it warns once in the life of a process.
    vi.resetModules();
    const { warnOfAnonymity } = await import('./choose-subsetting.js');
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    try {
      warnOfAnonymity(20, 100);
      warnOfAnonymity(20, 100);
      expect(warn).toHaveBeenCalledTimes(1);
      expect(warn).toHaveBeenCalledWith(expect.stringContaining('20 of 100 backends'), {
        type: 'PlimsollWarning',
        code: 'PLIMSOLL_NO_CLIENT_ID',
      });
    } finally {
      warn.mockRestore();
    }
  });
});
