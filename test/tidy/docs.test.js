import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { filesBelow, root, subpaths } from './sources.js';

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  })),
  ...filesBelow('docs', /\.md$/),
];
/** Code blocks marked `runnable`, each with the `text output` block right after it, if there is one. */
function runnableBlocks({ path, text }) {
  const pattern = /^```(?:ts|js) runnable\n([\s\S]*?)^```\n(?:\s*```text output\n([\s\S]*?)^```)?/gm;
  return [...text.matchAll(pattern)].map((match) => ({
    name: `${path}:${text.slice(0, match.index).split('\n').length}`,
    code: match[1],
    output: match[2],
  }));
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
  it('links only to what is there', () => {
    const broken = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)]
        .map((match) => match[1])
        .filter((target) => !existsSync(join(root, dirname(path), target)))
        .map((target) => `${path} → ${target}`),
    );
    expect(broken).toEqual([]);
  });
  const blocks = pages.flatMap(runnableBlocks);
  it('has examples that run', () => {
    expect(blocks.length).toBeGreaterThan(0);
  });
  // Run from inside the project, where `plimsoll/…` is the built package itself.
  it.each(blocks.map((block) => [block.name, block]))('%s runs', (name, { code, output }) => {
    const folder = join(root, '.build', 'docs');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name.replaceAll(/[^\w]/g, '-')}.mjs`);
    const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
    writeFileSync(file, ts.transpileModule(code, { compilerOptions }).outputText);
    const printed = execFileSync(process.execPath, [file], { encoding: 'utf8', timeout: 30_000 });
    if (output !== undefined) expect(printed.trim()).toBe(output.trim());
  });
});
