import { Buffer } from 'node:buffer';
import { type QuotaLevels, SPARE_STRIDE } from '../core/index.js';
import { WHOLE_EVERY } from '../core/quota/quota-levels.js';
import {
  canTravel,
  DIGEST_BYTES,
  decodeNames,
  digestOfNames,
  encodeNames,
  MOST_ROWS,
} from './quota-names.js';

/** What the coordinator says to all backends, in one message. docs/wire.md has the layouts. */
const VERSION = 1;
const TOKEN_AT = 8;
const SEQUENCE_AT = 16;
const BACKENDS_AT = 24;
const COUNT_AT = 28;
const NAMES_BYTES_AT = 32;
const NAMES_AT = 36;

/** Without names, which are three quarters of it: it says which ones are meant. */
const BRIEF_VERSION = 2;
const DIGEST_AT = 32;
const BRIEF_ROWS_AT = DIGEST_AT + DIGEST_BYTES;

/** As brief, and of those who are held only: how many these are, then of each its row first. */
const HELD_VERSION = 3;
const HELD_ROWS_AT = BRIEF_ROWS_AT + 4;

/** In a row's first byte: two bits of rank, then these, then one for each step that has a limit. */
const IS_HELD = 4;
const HAS_LEVEL = 8;
const FIRST_SPARE = 16;

/** That byte, a level, and what is spare. */
const MOST_ROW_BYTES = 1 + 4 + 4 * SPARE_STRIDE;

/** The largest that four bytes of floating point hold. */
const MOST_FLOAT = 3.4028234663852886e38;

/** By version: where the names are, or the rows if there are none. */
const ROWS_AT: Readonly<Record<number, number>> = {
  [VERSION]: NAMES_AT,
  [BRIEF_VERSION]: BRIEF_ROWS_AT,
  [HELD_VERSION]: HELD_ROWS_AT,
};

export interface EncodedLevels {
  /** For those who know nothing yet. */
  readonly whole: Uint8Array;
  /** For those who have heard all that was said. */
  readonly pushed: Uint8Array;
}

/** For one who says levels again and again: names are told only when they are others. */
export class LevelsEncoder {
  #names: readonly string[] = [];
  /** Those of them that can travel. */
  #rows: readonly number[] = [];
  #written: Uint8Array = Buffer.alloc(0);
  #digest = digestOfNames(this.#written);
  #said: Uint8Array | undefined;

  /** A name that cannot travel is left out, and those after the first 65,535. */
  encode(levels: QuotaLevels): EncodedLevels {
    this.#learn(levels.names);
    const whole = this.#encodeWhole(levels);
    if (this.#said !== this.#digest) return { whole, pushed: whole };
    const isForAll = levels.sequence % WHOLE_EVERY === 0;
    return { whole, pushed: isForAll ? this.#shorten(whole) : this.#encodeHeld(levels, whole) };
  }

  /** The last ones were published. */
  said(): void {
    this.#said = this.#digest;
  }

  #learn(names: readonly string[]): void {
    if (names.length === this.#names.length && names.every((name, row) => name === this.#names[row])) return;
    this.#names = names;
    this.#rows = [...names.keys()].filter((row) => canTravel(names[row]!)).slice(0, MOST_ROWS);
    this.#written = encodeNames(this.#rows.map((row) => names[row]));
    this.#digest = digestOfNames(this.#written);
  }

  #encodeWhole(levels: QuotaLevels): Uint8Array {
    const [names, rows] = [this.#written, this.#rows];
    const bytes = new Uint8Array(NAMES_AT + names.length + rows.length * MOST_ROW_BYTES);
    const view = new DataView(bytes.buffer);
    bytes[0] = VERSION;
    view.setFloat64(TOKEN_AT, levels.token);
    view.setFloat64(SEQUENCE_AT, levels.sequence);
    view.setUint32(BACKENDS_AT, levels.backends);
    view.setUint32(COUNT_AT, rows.length);
    view.setUint32(NAMES_BYTES_AT, names.length);
    bytes.set(names, NAMES_AT);
    let at = NAMES_AT + names.length;
    for (const row of rows) at = writeRow(levels, row, view, at);
    return bytes.subarray(0, at);
  }

  #shorten(whole: Uint8Array): Uint8Array {
    const rows = whole.subarray(NAMES_AT + this.#written.length);
    const bytes = new Uint8Array(BRIEF_ROWS_AT + rows.length);
    this.#writeHead(bytes, BRIEF_VERSION, whole);
    bytes.set(rows, BRIEF_ROWS_AT);
    return bytes;
  }

  #encodeHeld(levels: QuotaLevels, whole: Uint8Array): Uint8Array {
    const held = [...this.#rows.entries()].filter(([, row]) => levels.isHeld[row] === 1);
    const bytes = new Uint8Array(HELD_ROWS_AT + held.length * (2 + MOST_ROW_BYTES));
    const view = new DataView(bytes.buffer);
    this.#writeHead(bytes, HELD_VERSION, whole);
    view.setUint32(BRIEF_ROWS_AT, held.length);
    let at = HELD_ROWS_AT;
    for (const [place, row] of held) {
      view.setUint16(at, place);
      at = writeRow(levels, row, view, at + 2);
    }
    return bytes.subarray(0, at);
  }

  #writeHead(bytes: Uint8Array, version: number, whole: Uint8Array): void {
    bytes.set(whole.subarray(0, DIGEST_AT));
    bytes[0] = version;
    bytes.set(this.#digest, DIGEST_AT);
  }
}

function writeRow(levels: QuotaLevels, row: number, view: DataView, start: number): number {
  let flags = levels.rank[row]! | (levels.isHeld[row] === 1 ? IS_HELD : 0);
  let at = start + 1;
  const write = (value: number) => {
    view.setFloat32(at, Math.min(Math.max(value, -MOST_FLOAT), MOST_FLOAT));
    at += 4;
  };
  if (levels.level[row] !== Number.POSITIVE_INFINITY) {
    flags |= HAS_LEVEL;
    write(levels.level[row]!);
  }
  for (let top = 0; top < SPARE_STRIDE; top++) {
    const spare = levels.spare[row * SPARE_STRIDE + top]!;
    if (spare === Number.POSITIVE_INFINITY) continue;
    flags |= FIRST_SPARE << top;
    write(spare);
  }
  view.setUint8(start, flags);
  return at;
}

/**
 * For one who hears levels again and again: names, which are most of the work, are read anew only when they are others.
 * Columns are new each time: the next levels may be garbage, or of one who is no coordinator any more, and those before hold.
 */
export class LevelsDecoder {
  #written = Buffer.alloc(0);
  #names: readonly string[] = [];
  #digest: Uint8Array | undefined;

  /** Undefined: garbage. */
  decode(bytes: Uint8Array): QuotaLevels | 'names-needed' | undefined {
    const version = bytes[0];
    const rowsStart = ROWS_AT[version!];
    if (rowsStart === undefined || bytes.length < rowsStart) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const token = view.getFloat64(TOKEN_AT);
    const sequence = view.getFloat64(SEQUENCE_AT);
    const backends = view.getUint32(BACKENDS_AT);
    const count = view.getUint32(COUNT_AT);
    if (!Number.isSafeInteger(token) || !Number.isSafeInteger(sequence) || backends === 0) return undefined;
    const rowsAt = version === VERSION ? rowsStart + view.getUint32(NAMES_BYTES_AT) : rowsStart;
    const told = version === HELD_VERSION ? view.getUint32(BRIEF_ROWS_AT) : count;
    if (count > MOST_ROWS || told > count || rowsAt + told > bytes.length) return undefined;
    const names =
      version === VERSION
        ? this.#read(bytes.subarray(NAMES_AT, rowsAt), count)
        : this.#recall(bytes.subarray(DIGEST_AT, BRIEF_ROWS_AT), count);
    const rows = rowsFor(told, version === HELD_VERSION);
    if (!readRows(view, rowsAt, rows, count) || names === undefined) return undefined;
    return names === 'names-needed' ? names : { token, sequence, backends, names, ...rows };
  }

  #recall(digest: Uint8Array, count: number): readonly string[] | 'names-needed' {
    this.#digest ??= digestOfNames(this.#written);
    return count === this.#names.length && Buffer.compare(digest, this.#digest) === 0
      ? this.#names
      : 'names-needed';
  }

  #read(written: Uint8Array, count: number): readonly string[] | undefined {
    if (count === this.#names.length && this.#written.equals(written)) return this.#names;
    const names = decodeNames(written, count);
    if (names === undefined || !areNames(names)) return undefined;
    // Copied: the bytes are part of something larger, and lent.
    this.#written = Buffer.from(written);
    this.#names = names;
    this.#digest = undefined;
    return names;
  }
}

function areNames(names: readonly (string | undefined)[]): names is readonly string[] {
  return !names.includes(undefined);
}

type Rows = Pick<QuotaLevels, 'told' | 'rank' | 'level' | 'isHeld' | 'spare'>;

function rowsFor(count: number, areChosen: boolean): Rows {
  return {
    told: areChosen ? new Uint16Array(count) : undefined,
    rank: new Uint8Array(count),
    level: new Float64Array(count),
    isHeld: new Uint8Array(count),
    spare: new Float64Array(count * SPARE_STRIDE),
  };
}

/** False: garbage. `count`: how many names there are. */
function readRows(
  view: DataView,
  start: number,
  { told, rank, level, isHeld, spare }: Rows,
  count: number,
): boolean {
  level.fill(Number.POSITIVE_INFINITY);
  spare.fill(Number.POSITIVE_INFINITY);
  let at = start;
  // NaN when there is none.
  const read = () => {
    at += 4;
    return at <= view.byteLength ? view.getFloat32(at - 4) : Number.NaN;
  };
  let least = 0;
  for (let row = 0; row < rank.length; row++) {
    if (told !== undefined) {
      at += 2;
      if (at > view.byteLength) return false;
      const place = view.getUint16(at - 2);
      // In order, hence nobody twice.
      if (place < least || place >= count) return false;
      told[row] = place;
      least = place + 1;
    }
    if (at >= view.byteLength) return false;
    const flags = view.getUint8(at++);
    rank[row] = flags & 3;
    isHeld[row] = (flags & IS_HELD) === 0 ? 0 : 1;
    if (told !== undefined && isHeld[row] === 0) return false;
    if ((flags & HAS_LEVEL) !== 0) level[row] = read();
    // Who is held is held to something.
    else if (isHeld[row] === 1) return false;
    if (!(level[row]! >= 0)) return false;
    for (let top = 0; top < SPARE_STRIDE; top++) {
      if ((flags & (FIRST_SPARE << top)) === 0) continue;
      const value = read();
      if (!Number.isFinite(value)) return false;
      spare[row * SPARE_STRIDE + top] = value;
    }
  }
  return at === view.byteLength;
}
