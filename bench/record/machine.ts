import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { type BenchName, factsOf, type ProgramName } from '../catalogue.js';

/** What was measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly os: string;
}

export function machineHere(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Number((totalmem() / 2 ** 30).toFixed(1)),
    kernel: `${type()} ${release()}`,
    os: systemName(),
  };
}

const RELEASE = '/etc/os-release';

function systemName(): string {
  const [, name] = existsSync(RELEASE)
    ? (/^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync(RELEASE, 'utf8')) ?? [])
    : [];
  return name ?? type();
}

/** Each says its version in its own way; `wrk -v` also ends with 1. */
const SAYS_VERSION: Record<ProgramName, { readonly flag: string; readonly pattern: RegExp }> = {
  'redis-server': { flag: '--version', pattern: /\bv=(\S+)/ },
  nginx: { flag: '-v', pattern: /nginx\/(\S+)/ },
  wrk: { flag: '-v', pattern: /^wrk\s+(?:debian\/)?(\S+)/m },
};

/** Of Node, and of everything that the bench compares with or needs. */
export function versionsOf(name: BenchName, root: string): Record<string, string> {
  const { packages, programs } = factsOf(name);
  const versions: [string, string][] = [
    ['node', process.versions.node],
    ...packages.map((each): [string, string] => [each, packageVersion(root, each)]),
    ...programs.map((each): [string, string] => [each, programVersion(each)]),
  ];
  return Object.fromEntries(versions);
}

function packageVersion(root: string, name: string): string {
  const manifest = join(root, 'node_modules', name, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : 'not installed';
}

function programVersion(name: ProgramName): string {
  const { flag, pattern } = SAYS_VERSION[name];
  const { error, stdout, stderr } = spawnSync(name, [flag], { encoding: 'utf8' });
  if (error !== undefined) return 'not installed';
  return pattern.exec(stdout + stderr)?.[1] ?? 'unknown';
}

/** What decides about figures; results themselves, and what is written about them, do not. */
const MEASURED = ['src', 'bench', 'package-lock.json', ':!bench/results', ':!bench/*.md', ':!bench/page'];

/** Of what is measured, as git shortens it, with a plus when there were changes that git has not. */
export function revisionOf(root: string): string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const { status, stdout } = git('rev-parse', '--short=7', 'HEAD');
  if (status !== 0) return 'unknown';
  const changed = git('status', '--porcelain', '--', ...MEASURED).stdout;
  return stdout.trim() + (changed.trim() === '' ? '' : '+');
}
