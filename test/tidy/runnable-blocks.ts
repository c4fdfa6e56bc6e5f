import ts from 'typescript';
import type { Source } from './sources.js';

export interface Block {
  readonly name: string;
  readonly code: string;
  /** What it must print, when the page shows it. */
  readonly output: string | undefined;
}

/** Code blocks marked `runnable`, each with the `text output` block right after it, if there is one. */
export function runnableBlocks({ path, text }: Source): Block[] {
  const pattern = /^```(?:ts|js) runnable\n([\s\S]*?)^```\n(?:\s*```text output\n([\s\S]*?)^```)?/gm;
  return [...text.matchAll(pattern)].map((match) => ({
    name: `${path}:${text.slice(0, match.index).split('\n').length}`,
    code: match[1]!,
    output: match[2],
  }));
}

/** As Node runs it. */
export function inJavaScript(code: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}
