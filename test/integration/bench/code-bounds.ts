import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { Check } from '../../../bench/report.js';
import { filesBelow, root, type Source } from '../../tidy/sources.js';

/** A check as the code of a bench has it: which names it may have, and what its bound may be. */
export interface CodeCheck {
  readonly names: RegExp;
  /** How the bound begins: `>=`. */
  readonly operator: string;
  /** All values that it may have; undefined where it comes out of a run or a table. */
  readonly values: readonly number[] | undefined;
  /** All numbers that are written in the same file. */
  readonly literals: readonly number[];
}

const HELPERS: Readonly<Record<string, string>> = { atLeast: '>=', atMost: '<=', within: '1 ±' };

/** What a bench checks, read from its code without running it. */
export function checksInCode(bench: string): CodeCheck[] {
  const folder = existsSync(join(root, 'bench', bench)) ? filesBelow(`bench/${bench}`, /\.ts$/) : [];
  return [sourceAt(`bench/${bench}.ts`), ...folder].flatMap((source) => new BenchFile(source).checks());
}

/** These come out of the run itself, or of a flag that has a default. */
const COMPUTED = [
  /^Redis .*: slowest decision in ms$/,
  /^failed POSTs, of those under way/,
  /^requests$/,
  /^requests a second, weighted$/,
];

/** Whether a check with that name and bound could have come out of this code. */
export function isInCode(
  inCode: readonly CodeCheck[],
  { name, bound }: Pick<Check, 'name' | 'bound'>,
): boolean {
  const { operator, value } = partsOf(bound);
  const isComputed = COMPUTED.some((pattern) => pattern.test(name));
  return inCode.some(
    (check) =>
      check.names.test(name) &&
      check.operator === operator &&
      (isComputed || (check.values ?? check.literals).includes(value)),
  );
}

/** `>= 15000000` → `>=` and the number; a word after it is for readers. */
export function partsOf(bound: string): { operator: string; value: number } {
  const [, operator = '', value = ''] = /^(>=|<=|1 ±) ([\d.e+-]+)/.exec(bound) ?? [];
  return { operator, value: value === '' ? Number.NaN : Number(value) };
}

function sourceAt(path: string): Source {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

class BenchFile {
  readonly #path: string;
  readonly #file: ts.SourceFile;
  readonly #nodes: readonly ts.Node[];

  constructor({ path, text }: Source) {
    this.#path = path;
    this.#file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    this.#nodes = allNodes(this.#file);
  }

  checks(): CodeCheck[] {
    const literals = this.#nodes.filter(ts.isNumericLiteral).map(({ text }) => Number(text));
    return this.#nodes.flatMap((node) => {
      const found = this.#helped(node) ?? this.#written(node);
      return found === undefined ? [] : [{ ...found, literals }];
    });
  }

  /** `atLeast(name, value, bound)` */
  #helped(node: ts.Node): Omit<CodeCheck, 'literals'> | undefined {
    if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return undefined;
    const operator = HELPERS[node.expression.text];
    const [name, , bound] = node.arguments;
    if (operator === undefined || name === undefined || bound === undefined) return undefined;
    return { names: this.#pattern(name), operator, values: this.#values(bound) };
  }

  /** `{ name: …, bound: …, holds: … }` */
  #written(node: ts.Node): Omit<CodeCheck, 'literals'> | undefined {
    if (!ts.isObjectLiteralExpression(node) || isInHelper(node)) return undefined;
    const of = (name: string) => node.properties.find((each) => each.name?.getText() === name);
    const [name, bound] = [of('name'), of('bound')];
    if (name === undefined || of('holds') === undefined || !bound || !ts.isPropertyAssignment(bound))
      return undefined;
    const names = ts.isPropertyAssignment(name) ? this.#pattern(name.initializer) : /^/;
    const text = bound.initializer;
    if (ts.isStringLiteralLike(text)) {
      const { operator, value } = partsOf(text.text);
      return { names, operator, values: [value] };
    }
    if (!ts.isTemplateExpression(text)) return undefined;
    return {
      names,
      operator: text.head.text.trim(),
      values: this.#values(text.templateSpans[0]!.expression),
    };
  }

  /** What is put into a name could be anything. */
  #pattern(name: ts.Expression): RegExp {
    if (ts.isStringLiteralLike(name)) return new RegExp(`^${escapeRegExp(name.text)}$`);
    if (ts.isTemplateExpression(name)) {
      const rest = name.templateSpans.map(({ literal }) => `.*${escapeRegExp(literal.text)}`);
      return new RegExp(`^${escapeRegExp(name.head.text)}${rest.join('')}$`);
    }
    return /^/;
  }

  #values(node: ts.Expression): readonly number[] | undefined {
    if (ts.isNumericLiteral(node)) return [Number(node.text)];
    if (ts.isNonNullExpression(node) || ts.isParenthesizedExpression(node) || isTyped(node))
      return this.#values(node.expression);
    if (ts.isConditionalExpression(node))
      return union([this.#values(node.whenTrue), this.#values(node.whenFalse)]);
    if (ts.isElementAccessExpression(node)) return this.#members(node.expression);
    if (ts.isPropertyAccessExpression(node)) return this.#members(node.expression, node.name.text);
    return ts.isIdentifier(node) ? this.#named(node.text) : undefined;
  }

  /** Of an object's members one, or any. */
  #members(object: ts.Expression, name?: string): readonly number[] | undefined {
    const held = ts.isIdentifier(object) ? this.#initializer(object.text) : undefined;
    if (held === undefined || !ts.isObjectLiteralExpression(held)) return undefined;
    const members = held.properties.filter(ts.isPropertyAssignment);
    const wanted = members.filter((each) => name === undefined || each.name.getText() === name);
    return wanted.length === 0
      ? undefined
      : union(wanted.map(({ initializer }) => this.#values(initializer)));
  }

  #named(name: string): readonly number[] | undefined {
    const held = this.#initializer(name);
    if (held !== undefined) return this.#values(held);
    return this.#given(name) ?? this.#imported(name);
  }

  #initializer(name: string): ts.Expression | undefined {
    const declared = this.#nodes
      .filter(ts.isVariableDeclaration)
      .find((each) => ts.isIdentifier(each.name) && each.name.text === name);
    let held = declared?.initializer;
    while (held !== undefined && isTyped(held)) held = held.expression;
    return held;
  }

  /** A parameter is whatever the file gives to its function. */
  #given(name: string): readonly number[] | undefined {
    const parameter = this.#nodes.filter(ts.isParameter).find((each) => each.name.getText() === name);
    const fn = parameter?.parent;
    if (fn === undefined || !ts.isFunctionDeclaration(fn)) return undefined;
    const at = fn.parameters.indexOf(parameter!);
    const calls = this.#nodes
      .filter(ts.isCallExpression)
      .filter(({ expression }) => expression.getText() === fn.name?.text);
    return calls.length === 0
      ? undefined
      : union(calls.map(({ arguments: args }) => args[at] && this.#values(args[at])));
  }

  #imported(name: string): readonly number[] | undefined {
    const from = this.#nodes.filter(ts.isImportSpecifier).find((each) => each.name.text === name)?.parent
      .parent.parent;
    const specifier = from && ts.isImportDeclaration(from) ? from.moduleSpecifier : undefined;
    if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.'))
      return undefined;
    const path = join(dirname(this.#path), specifier.text.replace(/\.js$/, '.ts'));
    return new BenchFile(sourceAt(path)).#named(name);
  }
}

/** What helpers return is found where they are called. */
function isInHelper(node: ts.Node): boolean {
  const fn = ts.findAncestor(node, ts.isFunctionDeclaration);
  return fn?.name !== undefined && Object.hasOwn(HELPERS, fn.name.text);
}

function isTyped(node: ts.Expression): node is ts.AsExpression | ts.SatisfiesExpression {
  return ts.isAsExpression(node) || ts.isSatisfiesExpression(node);
}

function union(sets: readonly (readonly number[] | undefined)[]): readonly number[] | undefined {
  return sets.every((set) => set !== undefined) ? sets.flat() : undefined;
}

function allNodes(node: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [node];
  ts.forEachChild(node, (child) => {
    nodes.push(...allNodes(child));
  });
  return nodes;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
