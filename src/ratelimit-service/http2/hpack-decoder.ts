import { decodeHuffman } from './huffman.js';
import { type Field, STATIC_TABLE } from './static-table.js';

/** What we let clients keep here (RFC 7541, 4.2), which is what holds when nothing is said. */
const TABLE_BYTES = 4_096;
/** What an entry counts besides its letters (RFC 7541, 4.1). */
const ENTRY_BYTES = 32;
/** Far more than a call of gRPC has; small blocks can name long fields again and again. */
export const MOST_FIELD_BYTES = 16_384;

const STATIC = STATIC_TABLE.length;

/**
 * Reads blocks of header fields (RFC 7541) of one connection, each with what the ones before have left. A RangeError means
 * that the connection cannot go on.
 */
export class HpackDecoder {
  /** The newest at the end. */
  readonly #entries: Field[] = [];
  #bytes = 0;
  #mostBytes = TABLE_BYTES;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;

  /** Tells each field, in order. */
  decode(block: Buffer, start: number, end: number, tell: (field: Field) => void): void {
    this.#block = block;
    this.#at = start;
    this.#end = end;
    let seen = 0;
    let isFirst = true;
    while (this.#at < this.#end) {
      const byte = block[this.#at]!;
      if ((byte & 0xe0) === 0x20) {
        if (!isFirst) throw new RangeError('a table is resized after fields');
        this.#resize(this.#number(5));
        continue;
      }
      isFirst = false;
      const field = this.#field(byte);
      seen += field.name.length + field.value.length + ENTRY_BYTES;
      if (seen > MOST_FIELD_BYTES) throw new RangeError('there are too many header fields');
      tell(field);
    }
  }

  #field(byte: number): Field {
    if (byte >= 0x80) return this.#entry(this.#number(7));
    const isKept = byte >= 0x40;
    const index = this.#number(isKept ? 6 : 4);
    const name = index === 0 ? this.#text() : this.#entry(index).name;
    const field = { name, value: this.#text() };
    if (isKept) this.#keep(field);
    return field;
  }

  #entry(index: number): Field {
    const entry =
      index <= STATIC ? STATIC_TABLE[index - 1] : this.#entries[this.#entries.length - (index - STATIC)];
    if (entry === undefined) throw new RangeError(`there is no header field ${index}`);
    return entry;
  }

  #keep(field: Field): void {
    this.#bytes += field.name.length + field.value.length + ENTRY_BYTES;
    this.#entries.push(field);
    this.#evict();
  }

  #resize(bytes: number): void {
    if (bytes > TABLE_BYTES) throw new RangeError('a table is larger than allowed');
    this.#mostBytes = bytes;
    this.#evict();
  }

  #evict(): void {
    while (this.#bytes > this.#mostBytes) {
      const { name, value } = this.#entries.shift()!;
      this.#bytes -= name.length + value.length + ENTRY_BYTES;
    }
  }

  /** A number whose first bits share a byte with something else (RFC 7541, 5.1). */
  #number(bits: number): number {
    const most = (1 << bits) - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a number in a header block is too large');
  }

  #text(): string {
    const isHuffman = (this.#block[this.#at] ?? 0) >= 0x80;
    const length = this.#number(7);
    const start = this.#at;
    if (length > this.#end - start) throw new RangeError('a header block ends within a text');
    this.#at = start + length;
    return isHuffman
      ? decodeHuffman(this.#block, start, this.#at)
      : this.#block.toString('latin1', start, this.#at);
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new RangeError('a header block ends within a field');
    return this.#block[this.#at++]!;
  }
}
