import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fleetSchema, SCENARIOS } from '../../src/simulator/index.js';
import { inJavaScript, runnableBlocks } from './runnable-blocks.js';
import { fieldsOf } from './schema-fields.js';
import { filesBelow, root, type Source, subpaths } from './sources.js';

const pages: Source[] = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  })),
  ...filesBelow('docs', /\.md$/),
];

describe('the documentation', () => {
  it('has a page for every subpath of the package', () => {
    for (const subpath of subpaths) {
      const page = pages.find(({ path }) => path === `docs/${subpath}.md`);
      expect(page?.text, `docs/${subpath}.md`).toContain(`plimsoll/${subpath}`);
    }
  });

  it('lists every error code, and no other', () => {
    const inCode = readFileSync(join(root, 'src/core/errors.ts'), 'utf8').match(/PLIMSOLL_[A-Z_]+/g);
    const inDocs = readFileSync(join(root, 'docs/errors.md'), 'utf8').match(/PLIMSOLL_[A-Z_]+/g);
    expect([...new Set(inDocs)].sort()).toEqual([...new Set(inCode)].sort());
  });

  it('names every field of a simulated fleet', () => {
    const page = pages.find(({ path }) => path === 'docs/simulator.md')!.text;
    const fields = fieldsOf(z.toJSONSchema(fleetSchema, { io: 'input', unrepresentable: 'any' }));
    expect(fields.size).toBeGreaterThan(60);
    expect([...fields].filter((field) => !new RegExp(`\\b${field}\\b`).test(page))).toEqual([]);
  });

  it('lists every decision', () => {
    const list = pages.find(({ path }) => path === 'docs/decisions/README.md')!.text;
    const decisions = pages.filter(({ path }) => /\/decisions\/\d/.test(path));
    expect(decisions.length).toBeGreaterThan(0);
    for (const { path, text } of decisions) {
      const [, number, title] = /^# (\d+)\. (.*)$/m.exec(text)!;
      expect(list).toContain(`| ${number} | [${title}](${path.split('/').at(-1)}) |`);
    }
  });

  it('names every scenario', () => {
    const page = pages.find(({ path }) => path === 'docs/simulator.md')!.text;
    expect(SCENARIOS.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('links only to what is there', () => {
    const broken = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)]
        .map((match) => match[1]!)
        // A folder is a page on a code host alone.
        .filter((target) => !statSync(join(root, dirname(path), target), { throwIfNoEntry: false })?.isFile())
        .map((target) => `${path} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  const blocks = pages.flatMap(runnableBlocks);

  it('has examples that run, and whose types are right', () => {
    expect(blocks.length).toBeGreaterThan(0);
    const folder = join(root, '.build', 'docs-types');
    mkdirSync(folder, { recursive: true });
    const files = blocks.map(({ name, code }) => {
      const file = join(folder, `${name.replaceAll(/[^\w]/g, '-')}.mts`);
      writeFileSync(file, `${code}\nexport {};\n`);
      return file;
    });
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => readFileSync(path, 'utf8'));
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const program = ts.createProgram(files, { ...options, noUnusedLocals: false });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText, file }) => [file?.fileName, messageText]);
    expect(problems).toEqual([]);
  });

  // Run from inside the project, where `plimsoll/…` is the built package itself.
  it.each(blocks.map((block) => [block.name, block] as const))('%s runs', (name, { code, output }) => {
    const folder = join(root, '.build', 'docs');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name.replaceAll(/[^\w]/g, '-')}.mjs`);
    writeFileSync(file, inJavaScript(code));
    const printed = execFileSync(process.execPath, [file], { encoding: 'utf8', timeout: 30_000 });
    if (output !== undefined) expect(printed.trim()).toBe(output.trim());
  });
});
