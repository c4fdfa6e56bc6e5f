import { basename, extname } from 'node:path';
import type * as z from 'zod';
import type { Scenario } from '../simulator/scenarios/scenario.js';
import { readFleetFile } from './fleet-file.js';
import { UsageError } from './usage-error.js';

/** What a file may say, and how it becomes a scenario. */
export interface FleetKind<Spec = unknown> {
  readonly schema: z.ZodType<Spec>;
  scenario(name: string, spec: Spec): Scenario;
}

/** A name that ends like a file, or has a path before it. */
export function isFile(subject: string): boolean {
  return /\.(ya?ml|json)$/i.test(subject) || /[\\/]/.test(subject);
}

export function fleetOf(path: string, kind: FleetKind): Scenario {
  const spec = readFleetFile(path, kind.schema);
  try {
    return kind.scenario(basename(path, extname(path)), spec);
  } catch (error) {
    // What only the parts of a fleet can know: that their options do not go together.
    if (error instanceof RangeError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}
