import { afterEach, describe, expect, it, vi } from 'vitest';
import { heedless } from './heedless.js';

describe('heedless', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('tells, and warns of who throws', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const tell = vi.fn();
    heedless(tell);
    expect(tell).toHaveBeenCalledOnce();
    expect(warn).not.toHaveBeenCalled();
    for (const thrown of [new Error('mine'), 'mine', undefined]) {
      heedless(() => {
        throw thrown;
      });
      const detail = thrown === undefined ? 'undefined' : expect.stringContaining('mine');
      expect(warn).toHaveBeenLastCalledWith('a listener has thrown', { detail });
    }
  });
});
