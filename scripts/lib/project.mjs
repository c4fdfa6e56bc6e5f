// Installs and builds what is missing, and says so. Uses nothing but Node: it is what runs right after a clone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Plimsoll needs Node 20.19 or newer; this is ${process.version}.`);
  process.exit(1);
}

class CommandFailed extends Error {
  constructor(status) {
    super(`a command failed with exit code ${status}`);
    this.status = status;
  }
}

/** The body of a script: a command that fails ends it with the same exit code, and has said why itself. */
export function main(body) {
  try {
    body();
  } catch (error) {
    process.exitCode = statusOf(error);
  }
}

/** The exit code of a command that failed; any other error is a fault of ours, and is thrown on. */
export function statusOf(error) {
  if (error instanceof CommandFailed) return error.status;
  throw error;
}

/** Runs a program in the project's root; throws when it fails. */
export function run(command, args, options = {}) {
  const status = tryRun(command, args, options);
  if (status !== 0) throw new CommandFailed(status);
}

/** The same, but gives the exit code back. */
export function tryRun(command, args, options = {}) {
  const { error, status, signal } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) console.error(`${command} could not be started: ${error.message}`);
  if (signal) console.error(`${command} was ended by ${signal}`);
  return status ?? 1;
}

/** A program of a package in node_modules, run by this Node: no shell, no PATH. */
export function bin(packageName, name = packageName.split('/').pop()) {
  const folder = join(root, 'node_modules', packageName);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const path = typeof manifest.bin === 'string' ? manifest.bin : manifest.bin[name];
  return join(folder, path);
}

function fingerprint(files) {
  // What is installed and built is the same under every Node, but not on every machine.
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function filesBelow(folder, isWanted) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter(isWanted)
    .sort();
}

/** Does `work` unless the stamp says that it was done for exactly these files. */
function once(stamp, files, why, work) {
  const wanted = fingerprint(files);
  const path = join(root, stamp);
  if (existsSync(path) && readFileSync(path, 'utf8') === wanted) return;
  console.error(`plimsoll: ${why}`);
  work();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, wanted);
}

/** The npm packages of the lock file. */
export function ensureInstalled() {
  once(
    'node_modules/.plimsoll-installed',
    ['package-lock.json'],
    'installing npm packages from package-lock.json …',
    () => {
      // The npm that started this script, if any: it works without a shell on every system.
      const npm = process.env.npm_execpath;
      const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
      if (npm) run(process.execPath, [npm, ...args], { stdio: ['ignore', 2, 2] });
      else run('npm', args, { stdio: ['ignore', 2, 2] });
    },
  );
}

const BUNDLER = 'scripts/lib/bundle.mjs';
const DASHBOARD = 'scripts/lib/dashboard.mjs';
const LEFT_OUT = 'scripts/lib/left-out.mjs';

/** Lua is read by the program, a .proto by whoever writes a client in another language. */
const isAsItIs = (path) => /\.(lua|proto)$/.test(path);
const isSource = (path) => isAsItIs(path) || (path.endsWith('.ts') && !/\.(test|contract)\.ts$/.test(path));

/** `dist/`: the package as it is published. */
export function ensureBuilt() {
  ensureInstalled();
  const files = [
    ...filesBelow('src', isSource),
    'tsconfig.base.json',
    'tsconfig.build.json',
    BUNDLER,
    // The versions of what is bundled.
    'package-lock.json',
  ];
  once('dist/.plimsoll-built', files, 'building dist/ …', () => {
    // From nothing: what was deleted in src/ must not live on in the package.
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    run(process.execPath, [bin('typescript', 'tsc'), '-p', 'tsconfig.build.json']);
    for (const path of filesBelow('src', isAsItIs)) {
      cpSync(join(root, path), join(root, path.replace(/^src/, 'dist')));
    }
    run(process.execPath, [BUNDLER]);
  });
  ensureDashboardBuilt();
}

/**
 * The built program, in this process: what was typed once stands in the arguments of no further one, where a whole machine
 * could read it, and signals reach it as they are. Nothing happens when something before it has failed.
 */
export async function runProgram(args) {
  if (process.exitCode !== undefined) return;
  const program = join(root, 'dist/cli/main.js');
  process.argv = [process.execPath, program, ...args];
  await import(pathToFileURL(program).href);
}

/** `dist/dashboard/`: the page of the admin port. What it takes of `src/` is no other than it was: else all is built anew. */
function ensureDashboardBuilt() {
  const isPage = (path) => /\.(tsx?|css|html|svg|json)$/.test(path) && !/\.test\.ts$|node_modules/.test(path);
  const files = [...filesBelow('dashboard', isPage), DASHBOARD, LEFT_OUT, 'package-lock.json'];
  once('dist/.plimsoll-dashboard', files, 'building the dashboard …', () => {
    run(process.execPath, [DASHBOARD]);
  });
}

/** `.build/`: benches, faults and examples, compiled against `dist/`. */
export function ensureToolsBuilt() {
  ensureBuilt();
  const isTool = (path) => path.endsWith('.ts') && !path.endsWith('.test.ts');
  const files = [
    ...filesBelow('bench', isTool),
    ...filesBelow('examples', isTool),
    // Beds of tests that benches and faults use, too.
    ...filesBelow('test', isTool),
    ...filesBelow('src', isSource),
    'tsconfig.base.json',
    'tsconfig.tools.json',
  ];
  once('.build/.plimsoll-built', files, 'building benches, faults and examples …', () => {
    run(process.execPath, [bin('typescript', 'tsc'), '-p', 'tsconfig.tools.json']);
  });
}
