import type { CapacityAsk, CapacityBand, CapacityIdentity } from '../../core/index.js';
import { ProtoReader } from '../protobuf/proto-reader.js';
import { ProtoWriter } from '../protobuf/proto-writer.js';

/** Service, methods and messages are those of capacity.proto, beside this file. */
const SERVICE = 'plimsoll.capacity.v1.Capacity';

export const CAPACITY_METHODS = ['GetCapacity', 'GetServerCapacity', 'ReleaseCapacity', 'Discovery'] as const;
export type CapacityMethod = (typeof CAPACITY_METHODS)[number];

export function capacityMethodPath(name: CapacityMethod): string {
  return `/${SERVICE}/${name}`;
}

/** More than any message of ours has: ten bands and two names of 256 characters, also as JSON. */
export const MOST_CAPACITY_BYTES = 65_536;

/** With ten bands and a name of 100 characters each: 36 kB. */
const MOST_RESOURCES = 100;

/** What is asked of one resource; who asks is said once for all of them. */
export interface ResourceAsk extends Omit<CapacityAsk, keyof CapacityIdentity> {
  readonly resource: string;
}

/** As it came: whether it can be is for `readCapacityAsk` to say. */
export interface CapacityRequest extends CapacityIdentity {
  readonly resources: readonly ResourceAsk[];
}

export interface ReleaseRequest extends CapacityIdentity {
  readonly resources: readonly string[];
}

/** What one wants for itself, and not for others below it. */
export function isForOneself({ bands }: Pick<CapacityAsk, 'bands'>): boolean {
  return bands.length === 1 && bands[0]!.subclients === 1;
}

/** `GetCapacityRequest`; `isForOneself` holds for each of its resources. */
export function encodeCapacityRequest(request: CapacityRequest): Buffer {
  return encodeRequest(request, (writer, { bands }) => {
    writer.double(4, bands[0]!.wants).uint(5, bands[0]!.priority);
  });
}

/** A RangeError when it is no such message. */
export function decodeCapacityRequest(bytes: Uint8Array): CapacityRequest {
  return decodeRequest(bytes, [{ priority: 0, wants: 0, subclients: 1 }], (bands, reader) => {
    const band = bands[0]!;
    if (reader.field === 4) bands[0] = { ...band, wants: reader.double() };
    else if (reader.field === 5) bands[0] = { ...band, priority: reader.uint() };
  });
}

/** `GetServerCapacityRequest`. */
export function encodeServerCapacityRequest(request: CapacityRequest): Buffer {
  return encodeRequest(request, (writer, { bands }) => {
    for (const { priority, wants, subclients } of bands) {
      writer.message(4, new ProtoWriter().uint(1, priority).double(2, wants).uint(3, subclients));
    }
  });
}

/** A RangeError when it is no such message. */
export function decodeServerCapacityRequest(bytes: Uint8Array): CapacityRequest {
  return decodeRequest(bytes, [], (bands, reader) => {
    if (reader.field === 4) bands.push(readBand(reader.message()));
  });
}

/** `ReleaseCapacityRequest`. */
export function encodeReleaseRequest({ client, life, resources }: ReleaseRequest): Buffer {
  const writer = new ProtoWriter().string(1, client).string(2, life);
  for (const resource of resources) writer.string(3, resource);
  return writer.finish();
}

/** A RangeError when it is no such message. */
export function decodeReleaseRequest(bytes: Uint8Array): ReleaseRequest {
  return decodeHead(bytes, (reader) => reader.string());
}

function encodeRequest(
  { client, life, resources }: CapacityRequest,
  writeWants: (writer: ProtoWriter, ask: ResourceAsk) => void,
): Buffer {
  const writer = new ProtoWriter().string(1, client).string(2, life);
  for (const ask of resources) {
    const each = new ProtoWriter().string(1, ask.resource).uint(2, ask.turn).double(3, ask.has);
    writeWants(each, ask);
    writer.message(3, each);
  }
  return writer.finish();
}

/** `readWants` is called with each field that it may know. */
function decodeRequest(
  bytes: Uint8Array,
  unsaid: readonly CapacityBand[],
  readWants: (bands: CapacityBand[], reader: ProtoReader) => void,
): CapacityRequest {
  return decodeHead(bytes, (outer) => {
    const reader = outer.message();
    const ask = { resource: '', turn: 0, has: 0, bands: [...unsaid] };
    while (reader.next()) {
      if (reader.field === 1) ask.resource = reader.string();
      else if (reader.field === 2) ask.turn = reader.uint();
      else if (reader.field === 3) ask.has = reader.double();
      else readWants(ask.bands, reader);
    }
    return ask;
  });
}

/** All three requests begin with who asks, and then have something for each resource. */
function decodeHead<R>(
  bytes: Uint8Array,
  readResource: (reader: ProtoReader) => R,
): CapacityIdentity & { readonly resources: readonly R[] } {
  if (bytes.length > MOST_CAPACITY_BYTES)
    throw new RangeError(`a message about capacity has ${bytes.length} bytes`);
  const reader = new ProtoReader(bytes);
  const resources: R[] = [];
  let [client, life] = ['', ''];
  while (reader.next()) {
    if (reader.field === 1) client = reader.string();
    else if (reader.field === 2) life = reader.string();
    else if (reader.field === 3) resources.push(readResource(reader));
    if (resources.length > MOST_RESOURCES)
      throw new RangeError(`a message about capacity is about more than ${MOST_RESOURCES} resources`);
  }
  return { client, life, resources };
}

function readBand(reader: ProtoReader): CapacityBand {
  const band = { priority: 0, wants: 0, subclients: 0 };
  while (reader.next()) {
    if (reader.field === 1) band.priority = reader.uint();
    else if (reader.field === 2) band.wants = reader.double();
    else if (reader.field === 3) band.subclients = reader.uint();
  }
  return band;
}
