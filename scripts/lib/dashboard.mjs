// Builds the page of the admin port from `dashboard/` into `dist/dashboard/`. Run after the compiler, by project.mjs.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { leaveOut } from './left-out.mjs';
import { root } from './project.mjs';

const TARGET = join(root, 'dist/dashboard');

/**
 * All script together, that of the simulator too, as browsers are sent it. Two thirds of it are fetched before anything is
 * seen, the rest with the simulator.
 */
const MOST_SCRIPT_BYTES = 300_000;

/** What may be in it, and what has to go along with it. */
const PARTS = {
  echarts: ['LICENSE', 'NOTICE', 'licenses/LICENSE-d3'],
  zrender: ['LICENSE'],
  tslib: ['LICENSE.txt'],
  preact: ['LICENSE'],
  yaml: ['LICENSE'],
  zod: ['LICENSE'],
};

const used = new Set();

/** Notes the packages of all chunks, those of workers too: each has to be known, with its licence. */
const noteParts = {
  name: 'plimsoll-parts',
  generateBundle(_, bundle) {
    for (const { moduleIds = [] } of Object.values(bundle)) {
      for (const id of moduleIds) {
        const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
        if (name !== undefined) used.add(name);
      }
    }
  },
};

await build({
  root: join(root, 'dashboard'),
  configFile: false,
  logLevel: 'warn',
  // Wherever the admin port is behind: nothing on the page starts at the root of a host.
  base: './',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [noteParts],
  worker: { format: 'es', plugins: () => [noteParts, leaveOut()] },
  build: {
    outDir: TARGET,
    emptyOutDir: true,
    target: 'es2023',
    // Those that know light-dark(): each colour stands in the style sheet once, for both.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // As a data: URL a small file would be inline, which the page's policy forbids for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
});

const strangers = [...used].filter((name) => PARTS[name] === undefined);
if (strangers.length > 0) throw new Error(`the dashboard has parts without a licence: ${strangers}`);
for (const name of used) {
  const folder = join(TARGET, 'third-party', name);
  mkdirSync(folder, { recursive: true });
  for (const licence of PARTS[name])
    copyFileSync(join(root, 'node_modules', name, licence), join(folder, basename(licence)));
}

checkPage(readFileSync(join(TARGET, 'index.html'), 'utf8'));

const sums = { gzip: 0, brotli: 0 };
for (const name of readdirSync(TARGET, { recursive: true })) {
  if (!/\.(js|css|html|svg)$/.test(name)) continue;
  const bytes = readFileSync(join(TARGET, name));
  const gzip = gzipSync(bytes, { level: 9 });
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;
  const brotli = brotliCompressSync(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: 24 },
  });
  writeFileSync(join(TARGET, `${name}.gz`), gzip);
  writeFileSync(join(TARGET, `${name}.br`), brotli);
  if (!name.endsWith('.js')) continue;
  sums.gzip += gzip.length;
  sums.brotli += brotli.length;
}
const kilobytes = (bytes) => `${Math.round(bytes / 1_000)} kB`;
console.error(
  `plimsoll: built the dashboard: ${kilobytes(sums.brotli)} of script by brotli, ${kilobytes(sums.gzip)} by gzip`,
);
if (sums.brotli > MOST_SCRIPT_BYTES)
  throw new Error(`the dashboard has more script than ${kilobytes(MOST_SCRIPT_BYTES)}`);

/** What the page's content security policy would refuse is found here, and not by somebody's browser. */
function checkPage(html) {
  if (/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//.test(html))
    throw new Error('the page has a script or a style inline, or asks somebody else');
}
