import { ProtoReader } from '../../wire/protobuf/proto-reader.js';
import {
  checkDescriptors,
  checkEntries,
  checkHits,
  type Descriptor,
  type Entry,
  type LimitOverride,
  type LimitRequest,
} from './limit-request.js';

/** As envoy/service/ratelimit/v3/rls.proto numbers its fields. A RangeError says what is wrong. */
export function readLimitRequest(bytes: Uint8Array): LimitRequest {
  const reader = new ProtoReader(bytes);
  const descriptors: Descriptor[] = [];
  let domain = '';
  let hitsAddend = 0;
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        domain = reader.string();
        break;
      case 2:
        descriptors.push(readDescriptor(reader.message()));
        checkDescriptors(descriptors.length);
        break;
      case 3:
        hitsAddend = checkHits(reader.uint());
        break;
    }
  }
  return { domain, descriptors, hitsAddend };
}

/** As envoy/extensions/common/ratelimit/v3/ratelimit.proto has them. */
function readDescriptor(reader: ProtoReader): Descriptor {
  const entries: Entry[] = [];
  let override: LimitOverride | undefined;
  let hits: number | undefined;
  let isNegative = false;
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        entries.push(readEntry(reader.message()));
        checkEntries(entries.length);
        break;
      case 2:
        override = readOverride(reader.message());
        break;
      case 3:
        hits = readWrapped(reader.message());
        break;
      case 4:
        isNegative = reader.bool();
        break;
    }
  }
  return { entries, override, hits, isNegative };
}

function readEntry(reader: ProtoReader): Entry {
  let key = '';
  let value = '';
  while (reader.next()) {
    if (reader.field === 1) key = reader.string();
    else if (reader.field === 2) value = reader.string();
  }
  return { key, value };
}

function readOverride(reader: ProtoReader): LimitOverride {
  let requestsPerUnit = 0;
  let unit = 0;
  while (reader.next()) {
    if (reader.field === 1) requestsPerUnit = reader.uint();
    else if (reader.field === 2) unit = reader.int();
  }
  return { requestsPerUnit, unit };
}

/** A google.protobuf.UInt64Value: there, it may be 0. */
function readWrapped(reader: ProtoReader): number {
  let value = 0;
  while (reader.next()) if (reader.field === 1) value = reader.uint();
  return checkHits(value);
}
