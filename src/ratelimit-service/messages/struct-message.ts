import { ProtoWriter } from '../../wire/protobuf/proto-writer.js';
import type { Json } from './limit-response.js';

/** A google.protobuf.Struct: a map of names and values. */
export function writeStruct(fields: { readonly [name: string]: Json }): ProtoWriter {
  const writer = new ProtoWriter();
  for (const [name, value] of Object.entries(fields))
    writer.message(1, new ProtoWriter().string(1, name).message(2, writeValue(value)));
  return writer;
}

/** A google.protobuf.Value: which of its fields is there says of which kind it is. */
function writeValue(value: Json): ProtoWriter {
  const writer = new ProtoWriter();
  if (value === null) return writer.uint(1, 0);
  if (typeof value === 'number') return writer.double(2, value);
  if (typeof value === 'string') return writer.string(3, value);
  if (typeof value === 'boolean') return writer.bool(4, value);
  if (!isList(value)) return writer.message(5, writeStruct(value));
  const list = new ProtoWriter();
  for (const each of value) list.message(1, writeValue(each));
  return writer.message(6, list);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
