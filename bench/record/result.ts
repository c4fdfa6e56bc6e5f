import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BENCH_NAMES, type BenchName } from '../catalogue.js';
import type { Report } from '../report.js';
import type { Disturbance } from './calm.js';
import type { Machine } from './machine.js';

/** What a bench found, and all that somebody needs who asks what that is worth. */
export interface BenchResult {
  readonly bench: BenchName;
  /** Of the code that was measured. */
  readonly revision: string;
  /** ISO 8601. */
  readonly started: string;
  readonly seconds: number;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly disturbance: Disturbance;
  /** How it was called; none: as the page wants it. */
  readonly flags: Readonly<Record<string, string>>;
  /** Why there is nothing to report: nginx is missing, say. */
  readonly failure?: string;
  readonly reports: readonly Report[];
}

/** Results that count, and the page about them, are in git; what was shortened is only to be looked at. */
export interface Places {
  readonly results: string;
  readonly page: string;
  readonly images: string;
}

export const COMMITTED: Places = {
  results: 'bench/results',
  page: 'docs/benchmarks.md',
  images: 'docs/images',
};

export const SHORTENED: Places = {
  results: 'artefacts/bench',
  page: 'artefacts/bench/benchmarks.md',
  images: 'artefacts/bench/images',
};

export function isShortened({ flags }: Pick<BenchResult, 'flags'>): boolean {
  return Object.keys(flags).length > 0;
}

export function pathOf({ results }: Places, name: BenchName): string {
  return join(results, `${name}.json`);
}

/** Where it was written, from the root. */
export function writeResult(root: string, result: BenchResult): string {
  const path = pathOf(isShortened(result) ? SHORTENED : COMMITTED, result.bench);
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  // Whoever looks finds all of it, or what was there before.
  writeFileSync(`${file}.new`, `${JSON.stringify(result, null, 2)}\n`);
  renameSync(`${file}.new`, file);
  return path;
}

export function readResult(root: string, places: Places, name: BenchName): BenchResult | undefined {
  const path = join(root, pathOf(places, name));
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as BenchResult) : undefined;
}

/** All that are there, in the order of the catalogue. */
export function readResults(root: string, places: Places): BenchResult[] {
  return BENCH_NAMES.flatMap((name) => readResult(root, places, name) ?? []);
}
