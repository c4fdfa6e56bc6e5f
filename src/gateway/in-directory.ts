import { isAbsolute, join } from 'node:path';

/** Where a file is that settings name: beside them, unless they say it from the root. */
export function inDirectory(directory: string, file: string): string {
  return isAbsolute(file) ? file : join(directory, file);
}
