import { isHeaderName, isHeaderValue } from '../../wire/header-chars.js';
import { isNamed } from '../../wire/text.js';

/** What an operator changes in the headers that pass: names in any case. */
export interface HeaderEditsOptions {
  /** In place of whatever came by that name. */
  readonly set?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
}

/** Those that say where a message ends or what its connection is for: not an operator's to change. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Edits, checked once, in the form in which they are applied to each message. */
export class HeaderEdits {
  /** Names in lower case, and values, in turn. */
  readonly set: readonly string[];
  /** Names, in lower case, that do not pass: also those that are set. */
  readonly #dropped: readonly string[];
  readonly #dashed: readonly string[];

  constructor(part: string, { set = {}, remove = [] }: HeaderEditsOptions) {
    const names = Object.keys(set).map((name) => checkName(part, name));
    this.set = Object.entries(set).flatMap(([name, value]) => [name.toLowerCase(), checkValue(part, value)]);
    this.#dropped = [...new Set([...names, ...remove.map((name) => checkName(part, name))])];
    this.#dashed = this.#dropped.map(dashed);
  }

  drops(name: string): boolean {
    for (const dropped of this.#dropped) if (isNamed(name, dropped)) return true;
    return false;
  }

  /** The same to a backend that knows no difference between dashes and underscores (CGI, WSGI). */
  dropsAlike(name: string): boolean {
    const like = dashed(name);
    for (const dropped of this.#dashed) if (isNamed(like, dropped)) return true;
    return false;
  }
}

function dashed(name: string): string {
  return name.includes('_') ? name.replaceAll('_', '-') : name;
}

function checkName(part: string, name: string): string {
  const lower = name.toLowerCase();
  if (!isHeaderName(lower)) throw new RangeError(`${part} must name headers, got ${JSON.stringify(name)}`);
  if (FRAMING.has(lower))
    throw new RangeError(`${part} must not change "${lower}", which belongs to the connection`);
  return lower;
}

function checkValue(part: string, value: string): string {
  if (typeof value !== 'string' || !isHeaderValue(value))
    throw new RangeError(`${part} must have values of one line, got ${JSON.stringify(value)}`);
  return value;
}
