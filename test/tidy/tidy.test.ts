import { describe, expect, it } from 'vitest';
import { checkImports, checkPurity, importsOf, resolveImport } from './rules.js';
import { filesBelow, isShipped, manifest } from './sources.js';

/** The house rules, as a test: what nobody would see in a review. */
const sources = filesBelow('src', /\.ts$/);
const shipped = sources.filter(({ path }) => isShipped(path));

describe('the house', () => {
  it('imports one way', () => {
    expect(shipped.flatMap(checkImports)).toEqual([]);
  });

  it('decides without a clock, timers, chance, or Node', () => {
    expect(shipped.flatMap(checkPurity)).toEqual([]);
  });

  it('has no source file that nothing reaches', () => {
    const entries = [
      ...Object.values(manifest.exports).flatMap((target) =>
        typeof target === 'string' ? [] : [target.default],
      ),
      ...Object.values(manifest.bin),
    ].map((target) => target.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts'));
    const byPath = new Map(shipped.map((source) => [source.path, source]));
    const reached = new Set<string>();
    const visit = (path: string): void => {
      const source = byPath.get(path);
      if (source === undefined || reached.has(path)) return;
      reached.add(path);
      for (const { specifier } of importsOf(source)) {
        const target = resolveImport(path, specifier);
        if (target !== undefined) visit(target);
      }
    };
    for (const entry of entries) {
      expect(byPath.has(entry), `${entry}, an entry of the package, exists`).toBe(true);
      visit(entry);
    }
    expect(shipped.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
  });

  it('keeps unit tests beside their file, and files to one concept', () => {
    const paths = new Set(sources.map(({ path }) => path));
    const strays = sources
      .filter(({ path }) => path.endsWith('.test.ts'))
      .map(({ path }) => path.replace('.test.ts', '.ts'))
      .filter((path) => !paths.has(path));
    expect(strays).toEqual([]);
    expect(shipped.filter(({ text }) => text.split('\n').length > 300).map(({ path }) => path)).toEqual([]);
  });

  it('has no compiled file beside a source', () => {
    const folders = ['src', 'test', 'bench', 'examples'];
    expect(folders.flatMap((folder) => filesBelow(folder, /\.js$/)).map(({ path }) => path)).toEqual([]);
  });

  it('runs all of its tests', () => {
    const tests = [...sources, ...filesBelow('test', /\.ts$/)].filter(({ path }) =>
      path.endsWith('.test.ts'),
    );
    const asleep = /\b(it|test|describe)\.(only|skip|todo|fails|skipIf|runIf)\b/;
    expect(tests.filter(({ text }) => asleep.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('the rules themselves', () => {
  const inCore = (text: string) => ({ path: 'src/core/sample/file.ts', text });

  it.each([
    ['const now = Date.now();'],
    ['const start = performance.now();'],
    ['setTimeout(work, 5);'],
    ['const later = setImmediate;'],
    ['const draw = Math.random();'],
    ['const { random } = Math;'],
    ['const sly = Math["random"];'],
    ['const m = Math; m.random();'],
    ['globalThis.setTimeout(work);'],
    ['type T = Date;'],
    ['process.hrtime();'],
    ['global.setTimeout(work);'],
    ['new Intl.DateTimeFormat().format();'],
    ['[].concat.constructor("return 1")();'],
    ['/// <reference types="node" />'],
  ])('see the world in %s', (text) => {
    expect(checkPurity(inCore(text)).length).toBeGreaterThan(0);
  });

  it.each([
    ['const share = Math.min(1, 2);'],
    ['const options = { performance: 1 }; options.performance;'],
    ['interface Clock { performance: number; now(): number }'],
    ['class A { process = 1; fetch() {} }'],
    ['// Date and Math.random in a comment'],
  ])('see none in %s', (text) => {
    expect(checkPurity(inCore(text))).toEqual([]);
  });

  it.each([
    ["import fs from 'node:fs';"],
    ["import type { Server } from 'node:http';"],
    ["export * from '../../server/guard.js';"],
    ["const later = await import('../../client/client.js');"],
    ["type Lazy = import('undici').Client;"],
    ["const any = await import('node:' + name);"],
    ["import { x } from '../../../bench/main.js';"],
  ])('see the wrong way in %s', (text) => {
    expect(checkImports(inCore(text))).toHaveLength(1);
  });

  it('let a gateway import what it is made of, and nobody import the gateway but the program', () => {
    const importing = (path: string, from: string) => checkImports({ path, text: `import '${from}';` });
    expect(importing('src/gateway/a.ts', '../server/guard.js')).toEqual([]);
    expect(importing('src/cli/main.ts', '../gateway/a.js')).toEqual([]);
    expect(importing('src/server/a.ts', '../gateway/a.js')).toHaveLength(1);
    expect(importing('src/server/a.ts', '../client/a.js')).toHaveLength(1);
    expect(importing('src/elsewhere/a.ts', './b.js')).toHaveLength(1);
  });

  it('let those read files of settings who have any', () => {
    const importing = (path: string, from: string) => checkImports({ path, text: `import '${from}';` });
    for (const layer of ['quota', 'gateway', 'cli']) {
      expect(importing(`src/${layer}/a.ts`, '../config/index.js')).toEqual([]);
    }
    expect(importing('src/core/a.ts', '../config/index.js')).toHaveLength(1);
    expect(importing('src/config/a.ts', '../wire/a.js')).toHaveLength(1);
  });
});
