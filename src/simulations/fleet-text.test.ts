import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type FleetKind, fleetFrom } from './fleet-text.js';

const NAMES = { name: 'mine', file: 'fleet.yaml' };

const kind = (problem?: Error): FleetKind<{ backends: number }> => ({
  schema: z.strictObject({ backends: z.number() }),
  scenario: (name, { backends }) => {
    if (problem) throw problem;
    return { name, claim: `has ${backends}`, run: () => expect.unreachable() };
  },
});

describe('a fleet', () => {
  it('is a scenario, and what it was made of', () => {
    const { scenario, spec } = fleetFrom('backends: 3\n', NAMES, kind());
    expect(scenario).toMatchObject({ name: 'mine', claim: 'has 3' });
    expect(spec).toEqual({ backends: 3 });
  });

  it('that is written wrongly is told with line and column', () => {
    expect(() => fleetFrom('backends: three\n', NAMES, kind())).toThrow(
      'fleet.yaml:1:11: backends: must be a number, got "three"',
    );
  });

  it('that cannot be is said to be wrong, but a fault of ours is not', () => {
    const impossible = kind(new RangeError('subset must be smaller'));
    expect(() => fleetFrom('backends: 3', NAMES, impossible)).toThrow('fleet.yaml: subset must be smaller');
    const fault = new TypeError('x is undefined');
    expect(() => fleetFrom('backends: 3', NAMES, kind(fault))).toThrow(fault);
  });
});
