import { type CapacityGrant, readCapacityGrant } from '../../core/index.js';
import { ProtoReader } from '../protobuf/proto-reader.js';
import { ProtoWriter } from '../protobuf/proto-writer.js';
import { MOST_CAPACITY_BYTES } from './capacity-requests.js';

/** What a server says to an ask. */
export interface CapacityAnswerMessage {
  /** By resource; one that is missing has no news. */
  readonly grants: ReadonlyMap<string, CapacityGrant>;
  /** Of the master, when the one that was asked is not: '' if it does not know. undefined: it is. */
  readonly master: string | undefined;
}

export interface DiscoveryMessage {
  readonly isMaster: boolean;
  /** '' if nobody knows. */
  readonly master: string;
}

/** `GetCapacityResponse`. */
export function encodeCapacityAnswer({ grants, master }: CapacityAnswerMessage): Buffer {
  const writer = new ProtoWriter();
  for (const [resource, grant] of grants) {
    const lease = new ProtoWriter()
      .double(1, grant.capacity)
      .double(2, grant.validMs)
      .double(3, grant.refreshMs);
    const each = new ProtoWriter().string(1, resource).message(2, lease).double(3, grant.safeCapacity);
    if (grant.inherited !== undefined) each.double(4, grant.inherited);
    writer.message(1, each);
  }
  if (master !== undefined) writer.message(2, mastership(master));
  return writer.finish();
}

/** A RangeError when it is no such message. A grant that cannot be is left out. */
export function decodeCapacityAnswer(bytes: Uint8Array): CapacityAnswerMessage {
  const reader = readerOf(bytes);
  const grants = new Map<string, CapacityGrant>();
  let master: string | undefined;
  while (reader.next()) {
    if (reader.field === 1) readGrant(reader.message(), grants);
    else if (reader.field === 2) master = readMastership(reader.message());
  }
  return { grants, master };
}

/** `ReleaseCapacityResponse`. undefined: it is master, and has taken it back. */
export function encodeReleaseAnswer(master: string | undefined): Buffer {
  const writer = new ProtoWriter();
  if (master !== undefined) writer.message(1, mastership(master));
  return writer.finish();
}

/** A RangeError when it is no such message. */
export function decodeReleaseAnswer(bytes: Uint8Array): string | undefined {
  const reader = readerOf(bytes);
  let master: string | undefined;
  while (reader.next()) if (reader.field === 1) master = readMastership(reader.message());
  return master;
}

/** `DiscoveryResponse`. */
export function encodeDiscovery({ isMaster, master }: DiscoveryMessage): Buffer {
  return new ProtoWriter().bool(1, isMaster).message(2, mastership(master)).finish();
}

function mastership(master: string): ProtoWriter {
  return new ProtoWriter().string(1, master);
}

function readMastership(reader: ProtoReader): string {
  let master = '';
  while (reader.next()) if (reader.field === 1) master = reader.string();
  return master;
}

function readGrant(reader: ProtoReader, grants: Map<string, CapacityGrant>): void {
  let resource = '';
  let lease: object | undefined;
  let safeCapacity = 0;
  let inherited: number | undefined;
  while (reader.next()) {
    if (reader.field === 1) resource = reader.string();
    else if (reader.field === 2) lease = readLease(reader.message());
    else if (reader.field === 3) safeCapacity = reader.double();
    else if (reader.field === 4) inherited = reader.double();
  }
  const grant = lease && readCapacityGrant({ ...lease, safeCapacity, inherited });
  if (grant !== undefined) grants.set(resource, grant);
}

function readLease(reader: ProtoReader): Pick<CapacityGrant, 'capacity' | 'validMs' | 'refreshMs'> {
  const lease = { capacity: 0, validMs: 0, refreshMs: 0 };
  while (reader.next()) {
    if (reader.field === 1) lease.capacity = reader.double();
    else if (reader.field === 2) lease.validMs = reader.double();
    else if (reader.field === 3) lease.refreshMs = reader.double();
  }
  return lease;
}

function readerOf(bytes: Uint8Array): ProtoReader {
  if (bytes.length > MOST_CAPACITY_BYTES)
    throw new RangeError(`an answer about capacity has ${bytes.length} bytes`);
  return new ProtoReader(bytes);
}
