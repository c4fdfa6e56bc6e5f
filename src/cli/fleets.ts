import { basename, extname } from 'node:path';
import { readText, SettingsError } from '../config/index.js';
import { type FleetKind, fleetFrom } from '../simulations/fleet-text.js';
import type { Scenario } from '../simulator/scenarios/scenario.js';
import { UsageError } from './usage-error.js';

/** A name that ends like a file, or has a path before it. */
export function isFile(subject: string): boolean {
  return /\.(ya?ml|json)$/i.test(subject) || /[\\/]/.test(subject);
}

/** The fleet of a file that is to be run: what is wrong with it is wrong with the command. */
export async function fleetOf(path: string, kind: FleetKind): Promise<Scenario> {
  try {
    const text = await readText(path);
    return fleetFrom(text, { name: basename(path, extname(path)), file: path }, kind).scenario;
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.message);
    throw error;
  }
}
