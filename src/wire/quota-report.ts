import { REPORT_STRIDE, type UsageReport } from '../core/index.js';
import { decodeNames, encodeNames, MOST_ROWS } from './quota-names.js';

/**
 * A backend's report: what it says of its customers four times a second, and their names only when they change. Most
 * rows have one criticality, so each begins with a mask of the numbers it has. docs/wire.md has the layouts.
 */
const VERSION = 1;
const HEAD_BYTES = 12;
const IS_SUSPENDED = 1;

/** The largest that four bytes of floating point hold. */
const MOST_FLOAT = 3.4028234663852886e38;

/** Where one is written before it is known how long it is: mostly a quarter of what it might be. */
let draft = new DataView(new ArrayBuffer(0));

export function encodeReportValues(report: UsageReport): Uint8Array {
  const { namesVersion, count, rates, refused, isSuspended } = report;
  const most = numbersAt(count) + count * REPORT_STRIDE * 4;
  if (draft.byteLength < most) draft = new DataView(new ArrayBuffer(2 * most));
  const view = draft;
  const bytes = new Uint8Array(view.buffer);
  bytes[0] = VERSION;
  bytes[1] = isSuspended ? IS_SUSPENDED : 0;
  view.setUint32(4, namesVersion);
  view.setUint32(8, count);
  const refusedAt = HEAD_BYTES + count;
  bytes.fill(0, refusedAt, numbersAt(count));
  let at = numbersAt(count);
  for (let row = 0; row < count; row++) {
    let mask = 0;
    for (let column = 0; column < REPORT_STRIDE; column++) {
      const rate = rates[row * REPORT_STRIDE + column]!;
      if (!(rate > 0)) continue;
      mask |= 1 << column;
      view.setFloat32(at, Math.min(rate, MOST_FLOAT));
      at += 4;
    }
    bytes[HEAD_BYTES + row] = mask;
    if (refused[row] === 1) bytes[refusedAt + (row >> 3)]! |= 1 << (row & 7);
  }
  return bytes.slice(0, at);
}

export function encodeReportNames({ names, namesVersion }: UsageReport): Uint8Array {
  const text = encodeNames(names);
  const bytes = new Uint8Array(HEAD_BYTES + text.length);
  const view = new DataView(bytes.buffer);
  bytes[0] = VERSION;
  view.setUint32(4, namesVersion);
  view.setUint32(8, names.length);
  bytes.set(text, HEAD_BYTES);
  return bytes;
}

/** Reads the reports of one backend: keeps its names. What it returns is overwritten by the next call. */
export class ReportDecoder {
  #names: readonly (string | undefined)[] = [];
  #namesVersion: number | undefined;
  #rates = new Float32Array(0);
  #refused = new Uint8Array(0);

  /** Of the names it knows; undefined: none. For who asks a store for names only when they are others. */
  get namesVersion(): number | undefined {
    return this.#namesVersion;
  }

  /** Undefined: garbage. */
  decode(values: Uint8Array, names: Uint8Array | undefined): UsageReport | 'names-needed' | undefined {
    const head = headOf(values);
    if (head === undefined) return undefined;
    if (names !== undefined && head.namesVersion !== this.#namesVersion) this.#learn(names);
    // Another number of rows under the same version: a backend that began anew. What is known is of the one before.
    if (head.namesVersion !== this.#namesVersion || head.count !== this.#names.length) {
      this.#namesVersion = undefined;
      return 'names-needed';
    }
    if (!this.#read(values, head.count)) return undefined;
    return {
      names: this.#names,
      namesVersion: head.namesVersion,
      count: head.count,
      rates: this.#rates,
      refused: this.#refused,
      isSuspended: (values[1]! & IS_SUSPENDED) !== 0,
    };
  }

  #learn(bytes: Uint8Array): void {
    const head = headOf(bytes);
    if (head === undefined) return;
    const names = decodeNames(bytes.subarray(HEAD_BYTES), head.count);
    if (names === undefined) return;
    this.#names = names;
    this.#namesVersion = head.namesVersion;
    if (this.#refused.length >= head.count) return;
    this.#refused = new Uint8Array(head.count);
    this.#rates = new Float32Array(head.count * REPORT_STRIDE);
  }

  /** False: garbage. */
  #read(bytes: Uint8Array, count: number): boolean {
    let at = numbersAt(count);
    if (bytes.length < at) return false;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const rates = this.#rates;
    rates.fill(0, 0, count * REPORT_STRIDE);
    for (let row = 0; row < count; row++) {
      this.#refused[row] = (bytes[HEAD_BYTES + count + (row >> 3)]! >> (row & 7)) & 1;
      const first = row * REPORT_STRIDE;
      for (let mask = bytes[HEAD_BYTES + row]!, column = 0; mask > 0; mask >>= 1, column++) {
        if ((mask & 1) === 0) continue;
        if (at + 4 > bytes.length) return false;
        const rate = view.getFloat32(at);
        at += 4;
        if (!(rate >= 0 && rate <= MOST_FLOAT)) return false;
        rates[first + column] = rate;
      }
    }
    return at === bytes.length;
  }
}

function headOf(bytes: Uint8Array): { namesVersion: number; count: number } | undefined {
  if (bytes.length < HEAD_BYTES || bytes[0] !== VERSION) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = view.getUint32(8);
  return count > MOST_ROWS ? undefined : { namesVersion: view.getUint32(4), count };
}

/** After the head a mask for each row, then a bit for each row: refused or not. */
function numbersAt(count: number): number {
  return HEAD_BYTES + count + Math.ceil(count / 8);
}
