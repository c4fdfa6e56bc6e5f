import { basename, extname } from 'node:path';
import type * as z from 'zod';
import { parseSettings, readText, SettingsError } from '../config/index.js';
import type { Scenario } from '../simulator/scenarios/scenario.js';
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

/** The fleet of a file that is to be run: what is wrong with it is wrong with the command. */
export async function fleetOf(path: string, kind: FleetKind): Promise<Scenario> {
  try {
    const text = await readText(path);
    return fleetFrom(text, path, kind).scenario;
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.message);
    throw error;
  }
}

/** The same of a text; a SettingsError says what is wrong. */
export function fleetFrom<Spec>(
  text: string,
  path: string,
  kind: FleetKind<Spec>,
): { scenario: Scenario; spec: Spec } {
  const spec = parseSettings(text, kind.schema, path);
  try {
    return { scenario: kind.scenario(basename(path, extname(path)), spec), spec };
  } catch (error) {
    // What only the parts of a fleet can know: that their options do not go together.
    if (!(error instanceof RangeError)) throw error;
    throw new SettingsError(path, [{ path: '', text: error.message }], { cause: error });
  }
}
