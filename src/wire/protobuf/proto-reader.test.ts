import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { ProtoReader } from './proto-reader.js';
import { ProtoWriter } from './proto-writer.js';

const { Sample } = protobuf.parse(`
  syntax = "proto3";
  message Sample { uint64 u = 1; int64 i = 2; double d = 3; string s = 4; bytes b = 5; Sample m = 6; bool t = 7; fixed32 x = 9; int32 j = 20000; }
`).root as unknown as Record<'Sample', protobuf.Type>;

describe('ProtoReader', () => {
  it('reads what protobufjs writes, passing over what it does not ask for', () => {
    fc.assert(
      fc.property(
        fc.record({
          u: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
          i: fc.maxSafeInteger(),
          d: fc.double({ noNaN: true }),
          s: fc.string({ unit: 'grapheme' }),
          t: fc.boolean(),
          x: fc.nat(),
          j: fc.integer(),
        }),
        fc.uint8Array(),
        (values, b) => {
          const message = { ...values, b, m: { s: values.s } };
          const reader = new ProtoReader(Sample.encode(Sample.fromObject(message)).finish());
          const none: Uint8Array = Buffer.alloc(0);
          const read = { u: 0, i: 0, d: 0, s: '', t: false, j: 0, m: '', b: none };
          while (reader.next()) {
            if (reader.field === 1) read.u = reader.uint();
            else if (reader.field === 2) read.i = reader.int();
            else if (reader.field === 3) read.d = reader.double();
            else if (reader.field === 4) read.s = reader.string();
            else if (reader.field === 5) read.b = reader.bytes();
            else if (reader.field === 6) read.m = textOf(reader.message());
            else if (reader.field === 7) read.t = reader.bool();
            else if (reader.field === 20_000) read.j = reader.int();
          }
          const { x, ...rest } = values;
          expect(read).toEqual({ ...rest, b: Buffer.from(b), m: values.s, i: rest.i + 0, d: rest.d });
        },
      ),
    );
  });

  it('takes any bytes for a message or throws a RangeError, and always ends', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat({ max: 6 }), (bytes, how) => {
        const reader = new ProtoReader(bytes);
        try {
          while (reader.next()) {
            if (how === 1) reader.uint();
            else if (how === 2) reader.int();
            else if (how === 3) reader.double();
            else if (how === 4) reader.string();
            else if (how === 5) reader.message().next();
            else if (how === 6) reader.bool();
          }
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['is cut off in a text', Buffer.from([0x22, 5, 97])],
    ['is cut off in a number', Buffer.from([0x08, 0x80])],
    ['has a number without an end', Buffer.from([0x08, ...Array(11).fill(0x80), 1])],
    ['has a field of number 0', Buffer.from([0x00, 1])],
    ['has a group', Buffer.from([0x0b, 0x0c])],
  ])('refuses a message that %s', (_, bytes) => {
    const reader = new ProtoReader(bytes);
    expect(() => {
      while (reader.next());
    }).toThrow(RangeError);
  });

  it('says which field is laid out in another way', () => {
    const reader = new ProtoReader(new ProtoWriter().string(4, 'a').finish());
    reader.next();
    expect(() => reader.uint()).toThrow('field 4 is not laid out as it should be');
  });
});

function textOf(reader: ProtoReader): string {
  let text = '';
  while (reader.next()) if (reader.field === 4) text = reader.string();
  return text;
}
