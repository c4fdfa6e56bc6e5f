import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export interface Source {
  /** From the project's root, with forward slashes: `src/core/check.ts`. */
  readonly path: string;
  readonly text: string;
}

/** The files below a folder whose names match. */
export function filesBelow(folder: string, pattern: RegExp): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => pattern.test(path) && !path.includes('node_modules/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** What is shipped: neither tests nor the contract suites that tests share. */
export function isShipped(path: string): boolean {
  return !/\.(test|contract)\.ts$/.test(path);
}

export interface Manifest {
  readonly name: string;
  readonly bin: Record<string, string>;
  readonly exports: Record<string, string | { types: string; default: string }>;
}

export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/** The subpaths that carry code, `./core` → `core`. */
export const subpaths = Object.keys(manifest.exports)
  .filter((subpath) => typeof manifest.exports[subpath] === 'object')
  .map((subpath) => subpath.slice(2));
