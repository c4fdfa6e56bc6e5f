import { errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { outcomeOfError } from './failure.js';

describe('outcomeOfError', () => {
  it('proves that nothing was processed only when nothing was written', () => {
    for (const error of [
      new errors.ConnectTimeoutError(),
      new errors.SocketError('other side closed'),
      new errors.ClientClosedError(),
      Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    ]) {
      expect(outcomeOfError(error, false)).toBe('connect-failed');
      expect(outcomeOfError(error, true)).toBe('broken');
    }
  });

  it('blames no backend for an impossible request', () => {
    for (const error of [
      new errors.InvalidArgumentError('invalid header'),
      new errors.NotSupportedError('no such thing'),
      new errors.RequestContentLengthMismatchError(),
      Object.assign(new TypeError('no chunk'), { code: 'ERR_INVALID_ARG_TYPE' }),
      new Error("thrown by somebody's code"),
    ]) {
      expect(outcomeOfError(error, false)).toBeUndefined();
      expect(outcomeOfError(error, true)).toBeUndefined();
    }
  });

  it('blames none for a certificate without the name that a caller made up', () => {
    const error = Object.assign(new Error('altname'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(outcomeOfError(error, false, true)).toBeUndefined();
    expect(outcomeOfError(error, false, false)).toBe('connect-failed');
  });
});
