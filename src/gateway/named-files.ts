import { lateError, readText, SettingsError } from '../config/index.js';
import { inDirectory } from './in-directory.js';
import type { GatewaySettings } from './settings/index.js';

/** Where in settings something stands. */
export type Path = readonly PropertyKey[];

/** The text of a file that settings name, at this key. */
export type ReadFile = (file: string, path: Path) => Promise<string>;

/** Files of settings. One that cannot be read is a problem of the key that names it: that is what can be mended. */
export function namedFiles(settings: GatewaySettings, directory: string): ReadFile {
  return async (file, path) => {
    try {
      return await readText(inDirectory(directory, file));
    } catch (error) {
      throw unreadable(settings, path, file, error);
    }
  };
}

/** What is wrong with a file itself, once it is read, is told with a place in that file. */
export function unreadable(settings: GatewaySettings, path: Path, file: string, error: unknown): unknown {
  if (!(error instanceof SettingsError) || error.problems.some(({ line }) => line !== undefined))
    return error;
  const text = error.problems.map((problem) => problem.text).join('; ');
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return lateError(settings, [{ path, text: `${file}: ${text}: ${adviceOn(code)}` }], { cause: error.cause });
}

function adviceOn(code: unknown): string {
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return 'write where it is, from the folder of these settings or from the root';
  if (code === 'EACCES' || code === 'EPERM') return 'let this user read it';
  return 'write the name of another file';
}
