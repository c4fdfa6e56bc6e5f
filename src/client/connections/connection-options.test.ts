import { describe, expect, it } from 'vitest';
import { CONNECTION_DEFAULTS, checkConnectionOptions } from './connection-options.js';

describe('checkConnectionOptions', () => {
  it('has defaults, and takes what is given', () => {
    expect(checkConnectionOptions(undefined)).toEqual(CONNECTION_DEFAULTS);
    const given = { perBackend: 2, headersTimeoutMs: 0, bodyTimeoutMs: 0, http2: true };
    expect(checkConnectionOptions(given)).toEqual({ ...CONNECTION_DEFAULTS, ...given });
  });

  it.each([
    [{ perBackend: 0 }, 'perBackend must be an integer >= 1, got 0'],
    [{ perBackend: 1.5 }, 'perBackend must be an integer >= 1, got 1.5'],
    [{ connectTimeoutMs: 0 }, 'connectTimeoutMs must be a finite number > 0, got 0'],
    [{ idleMs: -1 }, 'idleMs must be a finite number > 0, got -1'],
    [{ headersTimeoutMs: -1 }, 'headersTimeoutMs must be a finite number >= 0, got -1'],
    [{ bodyTimeoutMs: Number.NaN }, 'bodyTimeoutMs must be a finite number >= 0, got NaN'],
    [{ inactiveMs: 0 }, 'inactiveMs must be a finite number > 0, got 0'],
    [{ backoff: { factor: 0 } }, 'factor must be from 1 to 100, got 0'],
    [{ keepAlive: true }, 'connections has no option "keepAlive"'],
  ])('refuses %j', (options, message) => {
    expect(() => checkConnectionOptions(options as object)).toThrow(RangeError);
    expect(() => checkConnectionOptions(options as object)).toThrow(message);
  });
});
