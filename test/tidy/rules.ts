import { posix } from 'node:path';
import ts from 'typescript';
import type { Source } from './sources.js';

/** What each folder below `src/` may import besides itself. Imports go one way. */
const LAYERS: Record<string, readonly string[]> = {
  core: [],
  wire: ['core'],
  config: ['core'],
  context: ['wire', 'core'],
  stores: ['wire', 'core'],
  server: ['context', 'stores', 'wire', 'core'],
  client: ['context', 'stores', 'wire', 'core'],
  'rate-limit': ['context', 'stores', 'wire', 'core'],
  quota: ['context', 'stores', 'config', 'wire', 'core'],
  grpc: ['server', 'client', 'quota', 'context', 'stores', 'wire', 'core'],
  'ratelimit-service': ['rate-limit', 'server', 'grpc', 'context', 'stores', 'config', 'wire', 'core'],
  gateway: ['server', 'client', 'rate-limit', 'quota', 'context', 'stores', 'config', 'wire', 'core'],
  simulator: ['core'],
  simulations: ['simulator', 'config', 'core'],
  testing: ['simulator', 'core'],
  cli: [
    'gateway',
    'ratelimit-service',
    'grpc',
    'simulations',
    'simulator',
    'server',
    'client',
    'rate-limit',
    'quota',
    'context',
    'stores',
    'config',
    'wire',
    'core',
  ],
};

/** Folders that decide: they run on a virtual clock and in a browser, so they import no module and touch no global. */
const PURE = ['core', 'simulator'];

/** Packages that a pure folder may use all the same: no I/O, and at home in a browser. */
const PURE_PACKAGES: Record<string, readonly string[]> = {
  // What a fleet looks like is one schema for code and YAML (docs/decisions/0009).
  simulator: ['zod'],
};

const WORLD = new Set([
  'Date',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'queueMicrotask',
  'process',
  'crypto',
  'fetch',
  'console',
  'globalThis',
  'global',
  'self',
  'Intl',
  'WebAssembly',
  'require',
  'eval',
  'Function',
]);

/**
 * A word that models need for something of their own. A file that binds it means that; whoever means Node's without
 * binding it does not compile (tsconfig.portable.json knows no such global).
 */
const BINDABLE = 'process';

export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
}

function layerOf(path: string): string {
  return path.split('/')[1]!;
}

function parse({ path, text }: Source): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** The modules a file imports, statically, dynamically, by type or by re-export. */
export function importsOf(source: Source): { specifier: string; line: number }[] {
  const file = parse(source);
  const found: { specifier: string; line: number }[] = [];
  const add = (node: ts.Node | undefined) => {
    if (node === undefined) return;
    // An import whose name is put together at run time could be anything: it is taken for a package of that text.
    if (!ts.isStringLiteralLike(node)) {
      found.push({
        specifier: node.getText(),
        line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1,
      });
      return;
    }
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push({ specifier: node.text, line: line + 1 });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0]);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** A relative import as a path from the root; undefined for a package. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

/** Imports that go the wrong way, or out of a folder that decides. */
export function checkImports(source: Source): Violation[] {
  const layer = layerOf(source.path);
  const allowed = LAYERS[layer];
  if (allowed === undefined)
    return [{ path: source.path, line: 1, rule: `src/${layer} is no layer of the design` }];
  return importsOf(source).flatMap(({ specifier, line }) => {
    const target = resolveImport(source.path, specifier);
    const violation = (rule: string) => [{ path: source.path, line, rule }];
    if (target === undefined) {
      return PURE.includes(layer) && !PURE_PACKAGES[layer]?.includes(specifier)
        ? violation(`src/${layer} imports nothing from outside, not '${specifier}'`)
        : [];
    }
    const other = target.startsWith('src/') ? layerOf(target) : target;
    if (other === layer || allowed.includes(other)) return [];
    return violation(`src/${layer} must not import from ${other}`);
  });
}

/** Clocks, timers, chance and other doors to the world in a folder that decides. */
export function checkPurity(source: Source): Violation[] {
  if (!PURE.includes(layerOf(source.path))) return [];
  const file = parse(source);
  const violations: Violation[] = [];
  const report = (node: ts.Node, rule: string) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    violations.push({ path: source.path, line: line + 1, rule });
  };
  for (const { fileName } of file.typeReferenceDirectives)
    report(file, `decisions know no types of ${fileName}`);
  for (const { fileName } of file.libReferenceDirectives)
    report(file, `decisions know no types of ${fileName}`);
  const isBound = bindsName(file, BINDABLE);
  const visit = (node: ts.Node): void => {
    // `[].concat.constructor('…')` is eval.
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'constructor') {
      report(node, 'decisions do not make code');
    }
    if (ts.isIdentifier(node) && !isMemberName(node)) {
      if (WORLD.has(node.text) && !(isBound && node.text === BINDABLE))
        report(node, `decisions do not touch ${node.text}`);
      // Math may only be used as Math.something, so that its random() cannot be taken by another name.
      if (node.text === 'Math' && !isHarmlessMath(node)) report(node, 'decisions do not touch Math.random');
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return violations;
}

/** Whether a parameter, a variable or a part of a pattern in this file has that name. */
function bindsName(file: ts.SourceFile, name: string): boolean {
  const visit = (node: ts.Node): boolean => {
    const isBinding = ts.isParameter(node) || ts.isVariableDeclaration(node) || ts.isBindingElement(node);
    if (isBinding && ts.isIdentifier(node.name) && node.name.text === name) return true;
    return ts.forEachChild(node, visit) ?? false;
  };
  return visit(file);
}

/** `x.performance` and `{ performance: 1 }` name a member, not the global. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) return parent.name === node;
  return (ts.isPropertyDeclaration(parent) || ts.isMethodDeclaration(parent)) && parent.name === node;
}

function isHarmlessMath(node: ts.Identifier): boolean {
  const { parent } = node;
  return ts.isPropertyAccessExpression(parent) && parent.expression === node && parent.name.text !== 'random';
}
