import { SettingsError, type SettingsProblem } from './settings-error.js';
import { pathText } from './validation/path-text.js';

/** Something wrong that shows only after settings were read: with a file that they name, or beside what holds already. */
export interface LateProblem {
  /** As settings have it: a list of one entry may stand in the file as that entry. */
  readonly path: readonly PropertyKey[];
  /** What is wrong, and what to write instead. */
  readonly text: string;
}

interface Source {
  readonly file: string;
  readonly locate: (problems: readonly LateProblem[]) => SettingsProblem[];
}

/** Of settings that were read: from what, and where in it their keys stand. */
const SOURCES = new WeakMap<object, Source>();

/** What was read from nowhere, or has come from another process. */
const UNKNOWN: Source = {
  file: 'settings',
  locate: (problems) => problems.map(({ path, text }) => ({ path: pathText(path), text })),
};

export function noteSource(settings: unknown, source: Source): void {
  if (typeof settings === 'object' && settings !== null) SOURCES.set(settings, source);
}

/**
 * An error as if the reader of these settings had seen it: with the file, and with line and column of each key. Of settings
 * as they were read; of a copy it knows the keys alone.
 */
export function lateError(
  settings: object,
  problems: readonly LateProblem[],
  options?: ErrorOptions,
): SettingsError {
  const { file, locate } = SOURCES.get(settings) ?? UNKNOWN;
  return new SettingsError(file, locate(problems), options);
}
