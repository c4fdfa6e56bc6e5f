import { describe, expect, it } from 'vitest';
import { STALE_DEFAULTS, staleOptions } from './stale-options.js';

describe('staleOptions', () => {
  it('are the defaults unless given', () => {
    expect(staleOptions()).toEqual(STALE_DEFAULTS);
    expect(STALE_DEFAULTS).toMatchObject({ maxEntries: 1_000, maxBytes: 16_777_216, maxBodyBytes: 131_072 });
    expect(staleOptions({ maxStaleMs: 5 })).toEqual({ ...STALE_DEFAULTS, maxStaleMs: 5 });
  });

  it.each([
    [{ maxEntries: 0 }, 'maxEntries must be an integer >= 1, got 0'],
    [{ maxBytes: 0.5 }, 'maxBytes must be an integer >= 1, got 0.5'],
    [{ maxBytes: 100, maxBodyBytes: 101 }, 'maxBodyBytes must be an integer from 0 to 100, got 101'],
    [{ maxStaleMs: 0 }, 'maxStaleMs must be a finite number > 0, got 0'],
    [{ refreshMs: -1 }, 'refreshMs must be a finite number >= 0, got -1'],
    [{ serveInsteadOfRefusing: 'yes' as never }, 'serveInsteadOfRefusing must be true or false, got "yes"'],
    [{ credentials: ['Cookie'] }, 'credentials must be header names in lower case, got "Cookie"'],
    [{ keyHeaders: [''] }, 'keyHeaders must be header names in lower case, got ""'],
    [{ keyHeaders: [1 as never] }, 'keyHeaders must be header names in lower case, got 1'],
    [{ partition: 'a' as never }, 'partition must be a function, got "a"'],
    [{ maxAge: 5 } as object, 'stale has no option "maxAge"'],
  ])('refuse %j', (given, message) => {
    expect(() => staleOptions(given)).toThrow(new RangeError(message).message);
  });
});
