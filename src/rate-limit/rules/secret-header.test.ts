import { describe, expect, it } from 'vitest';
import { isSecretHeader } from './secret-header.js';

describe('a header with a secret', () => {
  it.each([
    ...[
      'authorization',
      'proxy-authorization',
      'cookie',
      'set-cookie',
      'x-api-key',
      'X-Auth-Token',
      'x_session_id',
    ],
    ...[
      'x-amz-security-token',
      'x-hub-signature-256',
      'private-token',
      'x-password',
      'client-secret',
      'apikey',
    ],
  ])('is known by its name: %s', (name) => {
    expect(isSecretHeader(name)).toBe(true);
  });

  it.each(['host', 'x-user', 'x-device', 'x-request-id', 'accept', 'traceparent', 'x-pass'])(
    'is not every other one: %s',
    (name) => {
      expect(isSecretHeader(name)).toBe(false);
    },
  );

  it('may be named, and is the same with underscores', () => {
    const named = ['x-user-pass'];
    expect(
      ['x-user-pass', 'x_user_pass', 'x-user_pass', 'x-user', 'x-api-key'].map((name) =>
        isSecretHeader(name, named),
      ),
    ).toEqual([...[true, true, true, false, true]]);
  });
});
