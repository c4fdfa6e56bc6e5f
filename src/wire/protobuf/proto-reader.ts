/** How a field's value is laid out (protobuf's encoding, "Message structure"). Groups are gone since proto3. */
export const WIRE_TYPES = Object.freeze({ varint: 0, fixed64: 1, bytes: 2, fixed32: 5 });

/** More fields than any message of ours could have; beyond it is no number of a field (protobuf's own limit). */
const MOST_FIELDS = 2 ** 29 - 1;

/**
 * Reads one protobuf message from bytes that came from outside: `while (reader.next()) switch (reader.field) …`. What is cut
 * off, too long or of another layout than asked for throws a RangeError; unknown fields are passed over by not reading them.
 *
 * Ours and not a library's: the few messages we speak have a dozen fields, and a generated reader makes an object of each.
 */
export class ProtoReader {
  /** The number of the field that `next` came to; 0 before the first. */
  field = 0;
  #wireType: number = WIRE_TYPES.varint;
  readonly #bytes: Buffer;
  #at: number;
  readonly #end: number;
  #isRead = true;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#at = start;
    this.#end = end;
  }

  /** Goes on to the next field; false at the end of the message. */
  next(): boolean {
    if (!this.#isRead) this.#skip();
    if (this.#at === this.#end) return false;
    const tag = this.#varint();
    this.field = Math.floor(tag / 8);
    this.#wireType = tag & 7;
    if (this.field < 1 || this.field > MOST_FIELDS)
      throw new RangeError(`no field has the number ${this.field}`);
    this.#isRead = false;
    return true;
  }

  /** An unsigned number. Beyond 2^53 its last digits are lost, as in any number of JavaScript. */
  uint(): number {
    this.#expect(WIRE_TYPES.varint);
    return this.#varint();
  }

  /** A number that may be negative, as int32, int64 and enums have it: in two's complement of 64 bits. */
  int(): number {
    this.#expect(WIRE_TYPES.varint);
    const start = this.#at;
    const value = this.#varint();
    if (value < 2 ** 63) return value;
    this.#at = start;
    return Number(BigInt.asIntN(64, this.#bigVarint()));
  }

  bool(): boolean {
    return this.uint() !== 0;
  }

  double(): number {
    this.#expect(WIRE_TYPES.fixed64);
    return this.#bytes.readDoubleLE(this.#advance(8));
  }

  string(): string {
    this.#expect(WIRE_TYPES.bytes);
    const length = this.#varint();
    const start = this.#advance(length);
    return this.#bytes.toString('utf8', start, start + length);
  }

  /** A view, not a copy. */
  bytes(): Buffer {
    this.#expect(WIRE_TYPES.bytes);
    const length = this.#varint();
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** A message within this one. */
  message(): ProtoReader {
    this.#expect(WIRE_TYPES.bytes);
    const length = this.#varint();
    const start = this.#advance(length);
    return new ProtoReader(this.#bytes, start, start + length);
  }

  #expect(wireType: number): void {
    if (this.#isRead || this.#wireType !== wireType)
      throw new RangeError(`field ${this.field} is not laid out as it should be`);
    this.#isRead = true;
  }

  #skip(): void {
    this.#isRead = true;
    switch (this.#wireType) {
      case WIRE_TYPES.varint:
        this.#varint();
        return;
      case WIRE_TYPES.fixed64:
        this.#advance(8);
        return;
      case WIRE_TYPES.bytes:
        this.#advance(this.#varint());
        return;
      case WIRE_TYPES.fixed32:
        this.#advance(4);
        return;
      default:
        throw new RangeError(`field ${this.field} has a layout that there is not: ${this.#wireType}`);
    }
  }

  /** Where `length` bytes begin that the message has to have. */
  #advance(length: number): number {
    const start = this.#at;
    if (length > this.#end - start) throw new RangeError('the message ends within a field');
    this.#at = start + length;
    return start;
  }

  #varint(): number {
    let value = 0;
    let unit = 1;
    for (let i = 0; i < 10; i++) {
      const byte = this.#bytes[this.#advance(1)]!;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
      unit *= 128;
    }
    throw new RangeError('a number has more than ten bytes');
  }

  /** Exact, for the few numbers that are negative. */
  #bigVarint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[this.#advance(1)]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
}
