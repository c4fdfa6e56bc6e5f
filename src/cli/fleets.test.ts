import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { FleetKind } from '../simulations/fleet-text.js';
import { fleetOf, isFile } from './fleets.js';
import { UsageError } from './usage-error.js';

it.each([
  ['fleet.yaml', true],
  ['FLEET.YML', true],
  ['fleet.json', true],
  ['./fleet', true],
  ['C:\\fleets\\fleet', true],
  ['/dev/stdin', true],
  ['figure-20-3', false],
  ['yaml', false],
  ['fleet.yaml.bak', false],
])('takes %s for a file: %s', (subject, is) => {
  expect(isFile(subject)).toBe(is);
});

describe('a fleet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-fleets-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'my fleet.yaml');
  writeFileSync(path, 'backends: 3\n');

  const kind = (problem?: Error): FleetKind<{ backends: number }> => ({
    schema: z.strictObject({ backends: z.number() }),
    scenario: (name, { backends }) => {
      if (problem) throw problem;
      return { name, claim: `has ${backends}`, run: () => expect.unreachable() };
    },
  });

  it('is a scenario that is called like the file', async () => {
    expect(await fleetOf(path, kind())).toMatchObject({ name: 'my fleet', claim: 'has 3' });
  });

  it('that cannot be is said to be wrong, but a fault of ours is not', async () => {
    const impossible = () => fleetOf(path, kind(new RangeError('subset must be smaller')));
    await expect(impossible()).rejects.toThrow(UsageError);
    await expect(impossible()).rejects.toThrow(`${path}: subset must be smaller`);
    const fault = new TypeError('x is undefined');
    await expect(fleetOf(path, kind(fault))).rejects.toThrow(fault);
  });
});
