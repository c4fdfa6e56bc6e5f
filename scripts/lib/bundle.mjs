// Replaces files of dist/ that import large packages by bundles of the parts that they use: whoever installs Plimsoll
// should not need 62 MB of ECharts for a figure. Run after the compiler, by project.mjs.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build } from 'vite';
import { root } from './project.mjs';

/** What is bundled; what is in it, and what has to go along with it; and what is left to be imported, if anything. */
const BUNDLES = [
  {
    entry: 'dist/cli/figures/echarts.js',
    parts: {
      echarts: ['LICENSE', 'NOTICE', 'licenses/LICENSE-d3'],
      zrender: ['LICENSE'],
      tslib: ['LICENSE.txt'],
    },
    external: [],
  },
  {
    entry: 'dist/gateway/admin/prometheus.js',
    parts: {
      '@opentelemetry/exporter-prometheus': ['LICENSE'],
      '@opentelemetry/sdk-metrics': ['LICENSE'],
      '@opentelemetry/core': ['LICENSE'],
      '@opentelemetry/resources': ['LICENSE'],
      '@opentelemetry/semantic-conventions': ['LICENSE'],
    },
    external: ['@opentelemetry/api'],
  },
  {
    entry: 'dist/gateway/logging/pino.js',
    parts: {
      pino: ['LICENSE'],
      'sonic-boom': ['LICENSE'],
      '@pinojs/redact': ['LICENSE'],
      'atomic-sleep': ['LICENSE'],
      'on-exit-leak-free': ['LICENSE'],
      'pino-std-serializers': ['LICENSE'],
      'quick-format-unescaped': ['LICENSE'],
      'real-require': ['LICENSE.md'],
      'safe-stable-stringify': ['LICENSE'],
      'thread-stream': ['LICENSE'],
    },
    external: [],
  },
];

const folderOf = (name) => join(root, 'node_modules', name);
const versionOf = (name) => JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8')).version;

for (const { entry, parts, external } of BUNDLES) {
  const file = join(root, entry);
  const versions = Object.keys(parts).map((name) => `${name} ${versionOf(name)}`);
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    // A program of Node: nothing is left to be imported but what Node itself has, and what is said above.
    ssr: { noExternal: true, external },
    build: {
      ssr: file,
      outDir: dirname(file),
      emptyOutDir: false,
      minify: true,
      target: 'node20',
      rollupOptions: {
        output: {
          entryFileNames: basename(file),
          codeSplitting: false,
          // After the rest was made small, or it would be taken for a comment that nobody needs.
          postBanner: `/*! ${versions.join(', ')}: see third-party/ beside this file. */`,
        },
      },
    },
  });
  checkWhole(entry, output, parts, external);
  for (const [name, files] of Object.entries(parts)) {
    const target = join(dirname(file), 'third-party', name);
    mkdirSync(target, { recursive: true });
    for (const licence of files) copyFileSync(join(folderOf(name), licence), join(target, basename(licence)));
  }
  console.error(`plimsoll: bundled ${versions.join(', ')}: ${Math.round(statSync(file).size / 1_000)} kB`);
}

/** Nothing may be in it that is not said above, nor be left to be imported. */
function checkWhole(entry, output, parts, external) {
  const [chunk] = output;
  const left = [...chunk.imports, ...chunk.dynamicImports];
  const unsaid = left.filter((name) => !isBuiltin(name) && !external.includes(name));
  if (output.length !== 1 || unsaid.length > 0)
    throw new Error(`the bundle ${entry} is not whole: ${unsaid.join(', ')} is left to be imported`);
  const packages = chunk.moduleIds.flatMap(
    (id) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? [],
  );
  const strangers = [...new Set(packages)].filter((name) => parts[name] === undefined);
  if (strangers.length > 0) throw new Error(`the bundle ${entry} has parts without a licence: ${strangers}`);
}

// The program is no library: its types would only point to packages that are not there.
for (const folder of ['dist/cli', 'dist/simulations']) {
  const types = readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith('.d.ts'));
  for (const name of types) rmSync(join(root, folder, name));
}
