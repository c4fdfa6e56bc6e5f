import { describe, expect, it } from 'vitest';
import { clientIdOf } from './client-id.js';

const POD = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

describe('clientIdOf', () => {
  it('takes what was given by hand', () => {
    expect(clientIdOf({ PLIMSOLL_CLIENT_ID: '0' })).toBe(0);
    expect(clientIdOf({ PLIMSOLL_CLIENT_ID: '12', ...POD, HOSTNAME: 'web-3' })).toBe(12);
  });

  it('takes the ordinal of a StatefulSet’s pod', () => {
    expect(clientIdOf({ ...POD, HOSTNAME: 'web-0' })).toBe(0);
    expect(clientIdOf({ ...POD, HOSTNAME: 'web-frontend-117' })).toBe(117);
    expect(clientIdOf({ ...POD, PLIMSOLL_CLIENT_ID: '', HOSTNAME: 'web-3' })).toBe(3);
  });

  it('takes no other number for one', () => {
    for (const HOSTNAME of ['web', 'web-', '-3', '3', 'web-03', 'web-5f7d9c', 'web-77777', 'web-3.local'])
      expect(clientIdOf({ ...POD, HOSTNAME })).toBeUndefined();
    // A Deployment's pod, and a machine that is called so.
    expect(clientIdOf({ ...POD, HOSTNAME: 'web-6c9f8b7d4-x2x7k' })).toBeUndefined();
    expect(clientIdOf({ HOSTNAME: 'web-2' })).toBeUndefined();
    expect(clientIdOf({})).toBeUndefined();
  });

  it.each(['-1', '1.5', 'three', 'NaN', '1e3', '0x1', ' '])('refuses %j, which is a mistake', (given) => {
    expect(() => clientIdOf({ PLIMSOLL_CLIENT_ID: given })).toThrow(RangeError);
    expect(() => clientIdOf({ PLIMSOLL_CLIENT_ID: given })).toThrow('PLIMSOLL_CLIENT_ID must be');
  });
});
