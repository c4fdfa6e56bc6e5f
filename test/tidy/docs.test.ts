import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fleetSchema, SCENARIOS } from '../../src/simulator/index.js';
import { filesBelow, root, type Source, subpaths } from './sources.js';

const pages: Source[] = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  })),
  ...filesBelow('docs', /\.md$/),
];

interface Block {
  readonly name: string;
  readonly code: string;
  /** What it must print, when the page shows it. */
  readonly output: string | undefined;
}

/** Code blocks marked `runnable`, each with the `text output` block right after it, if there is one. */
function runnableBlocks({ path, text }: Source): Block[] {
  const pattern = /^```(?:ts|js) runnable\n([\s\S]*?)^```\n(?:\s*```text output\n([\s\S]*?)^```)?/gm;
  return [...text.matchAll(pattern)].map((match) => ({
    name: `${path}:${text.slice(0, match.index).split('\n').length}`,
    code: match[1]!,
    output: match[2],
  }));
}

/** The names of all properties in a JSON schema, however deep. */
function fieldsOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  const { properties } = schema as { properties?: object };
  for (const name of Object.keys(properties ?? {})) found.add(name);
  for (const part of Object.values(schema)) fieldsOf(part, found);
  return found;
}

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

  it('names every scenario', () => {
    const page = pages.find(({ path }) => path === 'docs/simulator.md')!.text;
    expect(SCENARIOS.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('links only to what is there', () => {
    const broken = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)]
        .map((match) => match[1]!)
        .filter((target) => !existsSync(join(root, dirname(path), target)))
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
    const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
    writeFileSync(file, ts.transpileModule(code, { compilerOptions }).outputText);
    const printed = execFileSync(process.execPath, [file], { encoding: 'utf8', timeout: 30_000 });
    if (output !== undefined) expect(printed.trim()).toBe(output.trim());
  });
});
