import type * as z from 'zod';
import { parseSettings } from '../config/parse-settings.js';
import { SettingsError } from '../config/settings-error.js';
import type { Scenario } from '../simulator/scenarios/scenario.js';

/** What a text may say, and how it becomes a scenario. */
export interface FleetKind<Spec = unknown> {
  readonly schema: z.ZodType<Spec>;
  scenario(name: string, spec: Spec): Scenario;
}

/** What a fleet is called: by whom it is run, and in what is said of its text. */
export interface FleetNames {
  readonly name: string;
  readonly file: string;
}

/** The fleet that a text describes, in YAML or JSON; a SettingsError says what is wrong, with line and column. */
export function fleetFrom<Spec>(
  text: string,
  { name, file }: FleetNames,
  kind: FleetKind<Spec>,
): { scenario: Scenario; spec: Spec } {
  const spec = parseSettings(text, kind.schema, file);
  try {
    return { scenario: kind.scenario(name, spec), spec };
  } catch (error) {
    // What only the parts of a fleet can know: that their options do not go together.
    if (!(error instanceof RangeError)) throw error;
    throw new SettingsError(file, [{ path: '', text: error.message }], { cause: error });
  }
}
