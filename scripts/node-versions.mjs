// `npm run test:nodes`: the tests under every version of Node that is supported, and a table of what came of it.
//   npm run test:nodes -- 22 24                            under these alone
//   npm run test:nodes -- --only unit,integration package  these projects of vitest, and files whose path has that in it
//   npm run test:nodes -- --update                         with the newest of each, not those that are here already
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { bin, ensureBuilt, ensureInstalled, root, run, tryRun } from './lib/project.mjs';
import { ensureRedis } from './lib/redis.mjs';

/** The releases with long-term support that we run on, and the newest. */
const MAJORS = [20, 22, 24, 26];

/** The dashboard's browser and the scenarios' arithmetic are the same under every Node; what serves and decides is not. */
const PROJECTS = ['unit', 'models', 'integration'];

/** Binaries are kept here, a folder for each version. */
const CACHE = join(root, '.build', 'nodes');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, update: { type: 'boolean', default: false } },
});
const given = positionals.filter((each) => /^\d+$/.test(each)).map(Number);
const filters = positionals.filter((each) => !/^\d+$/.test(each));
const projects = values.only?.split(',') ?? PROJECTS;
// Of these nothing is promised: a table of what fails there would say nothing.
const unsupported = given.filter((major) => !MAJORS.includes(major));
if (unsupported.length > 0) {
  console.error(`Node ${unsupported.join(', ')}: not supported. Supported: ${MAJORS.join(', ')}`);
  process.exit(2);
}

/**
 * The package that the npm package `node` brings by a script when it is installed. Scripts may be off, and it is all there is
 * to it: so it is taken by its own name.
 */
function platformPackage() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${platform}-${process.arch}`;
}

/** Where the Node of this version is; it is installed when it is not there. */
function ensureNode(major) {
  const folder = join(CACHE, String(major));
  const binary = join(
    folder,
    'node_modules',
    platformPackage(),
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (values.update) rmSync(folder, { recursive: true, force: true });
  if (!existsSync(binary)) {
    console.error(`plimsoll: installing Node ${major} into ${folder} …`);
    mkdirSync(folder, { recursive: true });
    // A project of its own: else npm would look for one further up, and find ours.
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const npm = process.env.npm_execpath;
    const args = [
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `${platformPackage()}@${major}`,
    ];
    const stdio = ['ignore', 2, 2];
    if (npm) run(process.execPath, [npm, ...args], { cwd: folder, stdio });
    else run('npm', args, { cwd: folder, stdio });
  }
  return binary;
}

/** Runs a project of vitest under another Node; what it starts by name (npm, programs of packages) runs under it, too. */
function testUnder(binary, project) {
  const report = join(CACHE, 'report.json');
  rmSync(report, { force: true });
  const started = performance.now();
  // Those of integration are two.
  const args = ['run', '--project', `${project}*`, '--passWithNoTests', ...filters];
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const env = { ...process.env, PATH: `${join(binary, '..')}${delimiter}${process.env.PATH}` };
  const status = tryRun(binary, [bin('vitest'), ...args, ...reporters], {
    env,
    stdio: ['ignore', 2, 2],
  });
  const seconds = (performance.now() - started) / 1_000;
  if (!existsSync(report)) return { status: status || 1, passed: 0, failed: 0, failures: [], seconds };
  const {
    numPassedTests: passed,
    numFailedTests: failed,
    testResults,
  } = JSON.parse(readFileSync(report, 'utf8'));
  const failures = testResults.flatMap(({ name, status: of, assertionResults }) => [
    // A file that could not be read has no tests that failed.
    ...(of === 'failed' && assertionResults.length === 0 ? [`${name.slice(root.length + 1)}: not run`] : []),
    ...assertionResults
      .filter((each) => each.status === 'failed')
      .map(({ fullName }) => `${name.slice(root.length + 1)}: ${fullName}`),
  ]);
  return { status, passed, failed, failures, seconds };
}

function versionOf(binary) {
  const file = join(binary, '..', '..', 'package.json');
  return JSON.parse(readFileSync(file, 'utf8')).version;
}

ensureInstalled();
ensureBuilt();
if (ensureRedis() !== 0) process.exit(1);
const results = [];
for (const major of given.length > 0 ? given : MAJORS) {
  const binary = ensureNode(major);
  for (const project of projects) {
    console.error(`\n=== Node ${versionOf(binary)}: ${project}`);
    results.push({ version: versionOf(binary), project, ...testUnder(binary, project) });
  }
}

console.log('\nNode      tests          passed  failed  seconds');
for (const { version, project, passed, failed, seconds, status } of results) {
  const cells = [
    version.padEnd(9),
    project.padEnd(13),
    `${passed}`.padStart(7),
    `${failed}`.padStart(7),
    seconds.toFixed(0).padStart(8),
  ];
  console.log(`${cells.join(' ')}${status === 0 ? '' : '  ✗'}`);
}
for (const { version, failures } of results) {
  for (const failure of failures) console.log(`✗ ${version} ${failure}`);
}
process.exitCode = results.every(({ status }) => status === 0) ? 0 : 1;
