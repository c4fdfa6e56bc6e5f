// Replaces dist/cli/figures/echarts.js, which imports Apache ECharts, by a bundle of the parts that it uses: ECharts as
// a whole has 62 MB, and whoever installs Plimsoll should not need it. Run after the compiler, by project.mjs.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { root } from './project.mjs';

const figures = join(root, 'dist/cli/figures');
const entry = join(figures, 'echarts.js');

/** What is in the bundle, and what has to go along with it. */
const PARTS = {
  echarts: ['LICENSE', 'NOTICE', 'licenses/LICENSE-d3'],
  zrender: ['LICENSE'],
  tslib: ['LICENSE.txt'],
};

const folderOf = (name) => join(root, 'node_modules', name);
const versionOf = (name) => JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8')).version;
const versions = Object.keys(PARTS).map((name) => `${name} ${versionOf(name)}`);

const { output } = await build({
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  define: { 'process.env.NODE_ENV': '"production"' },
  // A program of Node: nothing is left to be imported but what Node itself has.
  ssr: { noExternal: true },
  build: {
    ssr: entry,
    outDir: figures,
    emptyOutDir: false,
    minify: true,
    target: 'node20',
    rollupOptions: {
      output: {
        entryFileNames: 'echarts.js',
        codeSplitting: false,
        // After the rest was made small, or it would be taken for a comment that nobody needs.
        postBanner: `/*! ${versions.join(', ')}: see third-party/ beside this file. */`,
      },
    },
  },
});

if (output.length !== 1 || /\b(from|import)\s*\(?\s*["'`]/.test(output[0].code)) {
  throw new Error('the bundle of ECharts is not whole: something is left to be imported');
}

for (const [name, files] of Object.entries(PARTS)) {
  const target = join(figures, 'third-party', name);
  mkdirSync(target, { recursive: true });
  for (const file of files) copyFileSync(join(folderOf(name), file), join(target, file.split('/').pop()));
}

// The program is no library: its types would only point to packages that are not there.
const types = readdirSync(join(root, 'dist/cli'), { recursive: true }).filter((name) =>
  name.endsWith('.d.ts'),
);
for (const name of types) rmSync(join(root, 'dist/cli', name));

console.error(`plimsoll: bundled ${versions.join(', ')}: ${Math.round(statSync(entry).size / 1_000)} kB`);
