/** Files that people write: read, checked in plain words, followed as they change. */
export type { Variables } from './environment.js';
export { isFilledIn } from './filled-in.js';
export { type LateProblem, lateError } from './late-problems.js';
export { type ParseOptions, parseSettings, type SettingsSchema, topKeys } from './parse-settings.js';
export { readSettingsFile, readText } from './read-settings.js';
export { describeProblem, SettingsError, type SettingsProblem } from './settings-error.js';
export { SETTINGS_FILE_DEFAULTS, SettingsFile, type SettingsFileOptions } from './settings-file.js';
export { duration, rate, size, written } from './units.js';
export { describeValue, named } from './validation/describe-schema.js';
export { nearestWord } from './validation/nearest-word.js';
export { type SecretPlaces, withSecrets } from './validation/secret-places.js';
