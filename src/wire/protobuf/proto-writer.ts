import { WIRE_TYPES } from './proto-reader.js';

/** Room for most of our messages without growing. */
const FIRST_BYTES = 128;

/**
 * Writes one protobuf message, field by field in the order of the calls. As proto3 has it, whoever calls leaves out what is
 * 0, '' or false; a field that is written is written.
 */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;

  /** A whole number from 0 to 2^53. */
  uint(field: number, value: number): this {
    this.#tag(field, WIRE_TYPES.varint);
    this.#varint(value);
    return this;
  }

  /** A whole number that may be negative, in two's complement of 64 bits. */
  int(field: number, value: number): this {
    this.#tag(field, WIRE_TYPES.varint);
    if (value >= 0) this.#varint(value);
    else this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
    return this;
  }

  bool(field: number, value: boolean): this {
    return this.uint(field, value ? 1 : 0);
  }

  double(field: number, value: number): this {
    this.#tag(field, WIRE_TYPES.fixed64);
    this.#reserve(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
    return this;
  }

  string(field: number, value: string): this {
    this.#tag(field, WIRE_TYPES.bytes);
    const length = Buffer.byteLength(value);
    this.#varint(length);
    this.#reserve(length);
    this.#at += this.#bytes.write(value, this.#at, 'utf8');
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, WIRE_TYPES.bytes);
    this.#varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  /** A message within this one. */
  message(field: number, value: ProtoWriter): this {
    return this.bytes(field, value.#bytes.subarray(0, value.#at));
  }

  /** What was written. Nothing may be written after it. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#at++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at++] = rest;
  }

  #bigVarint(value: bigint): void {
    this.#reserve(10);
    let rest = value;
    while (rest >= 0x80n) {
      this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#at++] = Number(rest);
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
