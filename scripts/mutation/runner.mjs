// A test runner for Stryker that loads the tests of a folder once and then only calls them: decisions keep nothing between tests,
// so a mutant costs the tests that pass through it and not the start of a worker.
import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { createServer, createServerModuleRunner } from 'vite';
import { collect, collecting } from './collect.mjs';

const PASSED = 0;
const FAILED = 1;

/** Stands in for Vitest where tests import it; Vite has modules of its own, so what is collected comes by a global. */
const STAND_IN = '\0collecting';
globalThis.collecting = collecting;
const standIn = {
  name: 'collecting',
  enforce: 'pre',
  resolveId: (id) => (id === 'vitest' ? STAND_IN : undefined),
  load: (id) =>
    id === STAND_IN
      ? `export const { ${Object.keys(collecting).join(', ')} } = globalThis.collecting;`
      : undefined,
};

/** Which test passes where is asked once; for each mutant again it would take longer than the tests. Calls alone: its declaration has no numbers. */
let isCounting = false;
const uncounted = {
  name: 'uncounted',
  enforce: 'pre',
  transform: (code) => (isCounting ? undefined : code.replaceAll(/\bstryCov_9fa48\(("\d+"(, )?)+\)/g, '0')),
};

/** Between Stryker's instruments and its runners. */
globalThis.__stryker__ ??= {};
const instruments = globalThis.__stryker__;

class Runner {
  #server;
  #modules;
  #tests;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    this.#server = await createServer({
      configFile: false,
      logLevel: 'error',
      appType: 'custom',
      server: { middlewareMode: true, hmr: false, ws: false, watch: null },
      optimizeDeps: { noDiscovery: true },
      // Else it is taken for a package and imported past the plugin.
      ssr: { noExternal: ['vitest'] },
      plugins: [standIn, uncounted],
    });
    this.#modules = createServerModuleRunner(this.#server.environments.ssr, { hmr: false });
  }

  async dryRun() {
    isCounting = true;
    await this.#load();
    const tests = [];
    for (const test of this.#tests) {
      const { id, name, fileName } = test;
      instruments.currentTestId = id;
      const started = performance.now();
      const failureMessage = await failureOf(test);
      const timeSpentMs = performance.now() - started;
      const status = failureMessage === undefined ? PASSED : FAILED;
      tests.push({ id, name, fileName, timeSpentMs, status, failureMessage });
    }
    instruments.currentTestId = undefined;
    isCounting = false;
    this.#server.environments.ssr.moduleGraph.invalidateAll();
    this.#tests = undefined;
    return { status: 'complete', tests, mutantCoverage: instruments.mutantCoverage };
  }

  async mutantRun(plan) {
    try {
      return await this.#mutantRun(plan);
    } catch (error) {
      // A static mutant with which nothing can be loaded.
      return { status: 'error', errorMessage: messageOf(error) };
    }
  }

  async #mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation, reloadEnvironment }) {
    const activate = async (isReloaded) => {
      instruments.activeMutant = mutantActivation === 'static' ? activeMutant.id : undefined;
      // What the one before has left would end the loading.
      Object.assign(instruments, { hitLimit: undefined, hitCount: 0 });
      if (isReloaded) await this.#load();
      Object.assign(instruments, { activeMutant: activeMutant.id, hitLimit, hitCount: 0 });
      const found = await this.#findKiller(testFilter, activeMutant.fileName);
      instruments.activeMutant = undefined;
      return found;
    };
    const { killer, result } = await activate(reloadEnvironment || this.#tests === undefined);
    // A test that fails without the mutant, too, was left something by an earlier one. (What a static mutant has made is
    // loaded; that one always begins anew.)
    if (mutantActivation === 'static' || killer === undefined) return result;
    if ((await failureOf(killer)) === undefined) return result;
    return (await activate(true)).result;
  }

  async dispose() {
    await this.#modules?.close();
    await this.#server?.close();
  }

  async #findKiller(testFilter, mutated) {
    const wanted = testFilter && new Set(testFilter);
    // Fast ones first; the test beside the file is the likeliest to notice.
    const beside = relative(process.cwd(), mutated).replace(/\.ts$/, '.test.ts');
    const rank = ({ costMs = 0, fileName }) => (fileName === beside ? costMs : 4 * costMs + 1);
    const tests = this.#tests
      .filter(({ id }) => wanted?.has(id) ?? true)
      .sort((one, other) => rank(one) - rank(other));
    let nrOfTests = 0;
    for (const test of tests) {
      nrOfTests++;
      const started = performance.now();
      const failureMessage = await failureOf(test);
      if (failureMessage === undefined) test.costMs = performance.now() - started;
      if (instruments.hitCount > instruments.hitLimit)
        return { result: { status: 'timeout', reason: `passed ${instruments.hitCount} times` } };
      if (failureMessage === undefined) continue;
      return { killer: test, result: { status: 'killed', killedBy: [test.id], failureMessage, nrOfTests } };
    }
    return { result: { status: 'survived', nrOfTests } };
  }

  async #load() {
    this.#modules.clearCache();
    // Half a list would pass for all there is, should one of them not load.
    this.#tests = undefined;
    await this.#modules.import('/test/properties.ts');
    const tests = [];
    for (const path of testFiles()) {
      tests.push(...(await collect(path, () => this.#modules.import(`/${path}`))));
    }
    this.#tests = tests;
  }
}

/** The unit tests below a folder; of the core itself only those that lie in no folder. */
function testFiles() {
  const folder = process.env.PLIMSOLL_MUTATION_FOLDER;
  return readdirSync(folder, { recursive: folder !== 'src/core' })
    .filter((name) => name.endsWith('.test.ts') && !name.endsWith('.contract.test.ts'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

async function failureOf({ run }) {
  try {
    await run();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function messageOf(error) {
  return String(error?.message ?? error);
}

export const strykerPlugins = [
  { kind: 'TestRunner', name: 'beside', factory: Object.assign(() => new Runner(), { inject: [] }) },
];
