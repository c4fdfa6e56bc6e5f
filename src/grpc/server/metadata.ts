import type { Metadata } from '@grpc/grpc-js';
import type { Http2Fields } from '../../wire/index.js';

/** Metadata with these fields, of the class that this one is of: grpc-js need not be imported for it. */
export function metadataLike(
  sample: Metadata,
  fields: Readonly<Http2Fields | Record<string, string>>,
): Metadata {
  const made = new (sample.constructor as new () => Metadata)();
  for (const [name, value] of Object.entries(fields)) {
    if (name.startsWith(':') || name === 'content-type') continue;
    for (const each of [value].flat())
      made.add(name, name.endsWith('-bin') ? Buffer.from(each, 'base64') : each);
  }
  return made;
}

/** Names and values in turn, as headers come. */
export function flatMetadata(metadata: Metadata): string[] {
  return Object.entries(metadata.toHttp2Headers()).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (each === undefined ? [] : [name, String(each)])),
  );
}
