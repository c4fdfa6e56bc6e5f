import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

/** What is published for others, in a library that others use. */
const { root } = protobuf.parse(readFileSync(new URL('capacity.proto', import.meta.url), 'utf8'));

const PACKAGE = 'plimsoll.capacity.v1';

/** Paths of the methods that the service has there, and the messages of each. */
export const METHODS = root.lookupService(`${PACKAGE}.Capacity`).methodsArray.map((method) => ({
  path: `/${PACKAGE}.Capacity/${method.name}`,
  messages: [method.requestType, method.responseType],
}));

const typeOf = (name: string) => root.lookupType(`${PACKAGE}.${name}`);

export function encodeAsPublished(name: string, message: object): Uint8Array {
  return typeOf(name).encode(typeOf(name).fromObject(message)).finish();
}

/** With what was left out as its default; messages that are not there are null. */
export function decodeAsPublished(name: string, bytes: Uint8Array): object {
  return typeOf(name).toObject(typeOf(name).decode(bytes), { defaults: true, longs: Number });
}
