import { expect, it } from 'vitest';
import { checkSuperviseOptions, SUPERVISE_DEFAULTS } from './supervise-options.js';

it('has defaults', () => {
  expect(checkSuperviseOptions()).toEqual(SUPERVISE_DEFAULTS);
  expect(checkSuperviseOptions({ port: 8080, udp: false })).toMatchObject({ port: 8080, udp: false });
});

it('refuses what cannot be', () => {
  expect(() => checkSuperviseOptions({ port: 65_536 })).toThrow(/port/);
  expect(() => checkSuperviseOptions({ drainMs: 0 })).toThrow(/drainMs/);
  expect(() => checkSuperviseOptions({ ports: 1 } as object)).toThrow(/no option "ports"/);
});
