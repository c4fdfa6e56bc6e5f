import ts from 'typescript';
import { manifest, root } from './sources.js';

/** A table of a page: the heading that it stands under, the first words of its head, and the names in its first column. */
export interface DocTable {
  readonly section: string;
  readonly head: string;
  readonly names: readonly string[];
}

/** The tables of a page, in order. Names are what stands in backticks in the column that is asked for. */
export function tablesOf(text: string, column = 0): DocTable[] {
  const tables: { section: string; head: string; names: string[] }[] = [];
  let section = '';
  let isInTable = false;
  let isInCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isInCode = !isInCode;
    if (isInCode) continue;
    const isRow = line.startsWith('|');
    if (!isRow) {
      isInTable = false;
      section = /^#+ (.*)$/.exec(line)?.[1] ?? section;
      continue;
    }
    const cell = cellsOf(line)[column] ?? '';
    if (!isInTable) tables.push({ section, head: cellsOf(line)[0]!, names: [] });
    else tables.at(-1)!.names.push(...Array.from(cell.matchAll(/`([^`]+)`/g), (match) => match[1]!));
    isInTable = true;
  }
  return tables;
}

function cellsOf(line: string): string[] {
  // A bar within a cell is escaped.
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The types that the package exports, as a compiler sees them. */
export class PublicTypes {
  readonly #checker: ts.TypeChecker;
  readonly #exports = new Map<string, Map<string, ts.Symbol>>();

  constructor() {
    const files = new Map(
      Object.entries(manifest.exports).flatMap(([subpath, target]) =>
        typeof target === 'string'
          ? []
          : [[subpath.slice(2), target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')] as const],
      ),
    );
    const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const program = ts.createProgram(
      Array.from(files.values(), (file) => `${root}/${file}`),
      options,
    );
    this.#checker = program.getTypeChecker();
    for (const [subpath, file] of files) {
      const module = this.#checker.getSymbolAtLocation(program.getSourceFile(`${root}/${file}`)!)!;
      const symbols = this.#checker.getExportsOfModule(module).map((each) => [each.name, each] as const);
      this.#exports.set(subpath, new Map(symbols));
    }
  }

  /**
   * The names of all options: `server/GuardOptions`, `server/GuardOptions.limits` for those of an option, `[]` for those of
   * each one in a list.
   */
  optionsOf(path: string): string[] {
    const [subpath, ...rest] = path.split('/');
    const [name, ...steps] = rest.join('/').split('.');
    const symbol = this.#exports.get(subpath!)?.get(name!);
    if (symbol === undefined) throw new Error(`plimsoll/${subpath} exports no ${name}`);
    const own = symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    let type = this.#checker.getDeclaredTypeOfSymbol(own);
    for (const step of steps) type = this.#typeOf(type, step);
    return this.#namesOf(type).sort();
  }

  #typeOf(type: ts.Type, step: string): ts.Type {
    if (step === '[]') return this.#checker.getIndexTypeOfType(this.#object(type), ts.IndexKind.Number)!;
    const property = this.#object(type).getProperty(step);
    if (property === undefined) throw new Error(`${this.#checker.typeToString(type)} has no ${step}`);
    return this.#checker.getTypeOfSymbol(property);
  }

  /** An option may be left out, or be `false`: what is meant is what can be said of it. */
  #object(type: ts.Type): ts.Type {
    const parts = type.isUnion() ? type.types : [type];
    const objects = parts.filter(
      ({ flags }) => (flags & ts.TypeFlags.Object) !== 0 || flags & ts.TypeFlags.Intersection,
    );
    if (objects.length === 0) throw new Error(`${this.#checker.typeToString(type)} is no object`);
    return objects[0]!;
  }

  #namesOf(type: ts.Type): string[] {
    return this.#checker.getPropertiesOfType(this.#object(type)).map(({ name }) => name);
  }
}
