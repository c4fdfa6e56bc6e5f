import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { ProtoWriter } from './proto-writer.js';

const { Sample } = protobuf.parse(`
  syntax = "proto3";
  message Sample { uint64 u = 1; int64 i = 2; double d = 3; string s = 4; bytes b = 5; Sample m = 6; bool t = 7; }
`).root as unknown as Record<'Sample', protobuf.Type>;

describe('ProtoWriter', () => {
  it('writes what protobufjs reads', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: Number.MAX_SAFE_INTEGER }),
        fc.maxSafeInteger(),
        fc.double({ noNaN: true }),
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.boolean(),
        (u, i, d, s, t) => {
          const inner = new ProtoWriter().string(4, s);
          const writer = new ProtoWriter()
            .uint(1, u)
            .int(2, i)
            .double(3, d)
            .string(4, s)
            .message(6, inner)
            .bool(7, t);
          const read = Sample.toObject(Sample.decode(writer.bytes(5, Buffer.from(s)).finish()), {
            longs: Number,
          });
          expect(read).toEqual({ u, i, d, s, t, m: { s }, b: Buffer.from(s) });
        },
      ),
    );
  });
});
