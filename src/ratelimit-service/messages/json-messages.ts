import { UNITS, unitNamed, unitNumbered } from '../rules/units.js';
import {
  checkDescriptors,
  checkEntries,
  checkHits,
  type Descriptor,
  type Entry,
  type LimitOverride,
  type LimitRequest,
} from './limit-request.js';
import { CODES, type DescriptorStatus, type LimitResponse } from './limit-response.js';

type Fields = Readonly<Record<string, unknown>>;

/** A request in proto3's JSON, where names may be written either way; a RangeError says what is wrong. */
export function limitRequestOfJson(json: unknown): LimitRequest {
  const fields = fieldsOf('the request', json, ['domain', 'descriptors', 'hitsAddend', 'hits_addend']);
  const descriptors = listOf('descriptors', fields['descriptors']);
  checkDescriptors(descriptors.length);
  return {
    domain: textOf('domain', fields['domain']),
    descriptors: descriptors.map(descriptorOf),
    hitsAddend: hitsOf(fields['hitsAddend'] ?? fields['hits_addend']) ?? 0,
  };
}

function descriptorOf(json: unknown): Descriptor {
  const names = ['entries', 'limit', 'hitsAddend', 'hits_addend', 'isNegativeHits', 'is_negative_hits'];
  const fields = fieldsOf('a descriptor', json, names);
  const entries = listOf('entries', fields['entries']);
  checkEntries(entries.length);
  const isNegative = fields['isNegativeHits'] ?? fields['is_negative_hits'] ?? false;
  if (typeof isNegative !== 'boolean') throw new RangeError('isNegativeHits must be true or false');
  return {
    entries: entries.map(entryOf),
    override: overrideOf(fields['limit']),
    hits: hitsOf(fields['hitsAddend'] ?? fields['hits_addend']),
    isNegative,
  };
}

function entryOf(json: unknown): Entry {
  const fields = fieldsOf('an entry', json, ['key', 'value']);
  return { key: textOf('key', fields['key']), value: textOf('value', fields['value']) };
}

function overrideOf(json: unknown): LimitOverride | undefined {
  if (json === undefined || json === null) return undefined;
  const fields = fieldsOf('limit', json, ['requestsPerUnit', 'requests_per_unit', 'unit']);
  const { unit } = fields;
  const number = typeof unit === 'string' ? (unitNamed(unit)?.number ?? 0) : Number(unit ?? 0);
  return {
    requestsPerUnit: hitsOf(fields['requestsPerUnit'] ?? fields['requests_per_unit']) ?? 0,
    unit: number,
  };
}

function fieldsOf(what: string, json: unknown, known: readonly string[]): Fields {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new RangeError(`${what} must be an object`);
  const unknown = Object.keys(json).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new RangeError(`${what} has no field ${JSON.stringify(unknown)}`);
  return json as Fields;
}

function listOf(what: string, json: unknown): readonly unknown[] {
  if (json === undefined || json === null) return [];
  if (Array.isArray(json)) return json;
  throw new RangeError(`${what} must be a list`);
}

function textOf(what: string, json: unknown): string {
  if (json === undefined || json === null) return '';
  if (typeof json === 'string') return json;
  throw new RangeError(`${what} must be text`);
}

/** Numbers of 64 bits are written as text in proto3's JSON. */
function hitsOf(json: unknown): number | undefined {
  if (json === undefined || json === null) return undefined;
  return checkHits(typeof json === 'string' && json.trim() !== '' ? Number(json) : (json as number));
}

const CODE_NAMES = Object.freeze(
  Object.fromEntries([
    [CODES.unknown, 'UNKNOWN'],
    [CODES.ok, 'OK'],
    [CODES.overLimit, 'OVER_LIMIT'],
  ]),
);

/** In proto3's JSON: what is 0 or empty is left out, durations are like "30s". */
export function limitResponseAsJson(response: LimitResponse): string {
  const { code, statuses, responseHeaders, requestHeaders, metadata } = response;
  return JSON.stringify({
    overallCode: CODE_NAMES[code],
    statuses: statuses.map(statusAsJson),
    ...(responseHeaders.length > 0 ? { responseHeadersToAdd: responseHeaders } : {}),
    ...(requestHeaders.length > 0 ? { requestHeadersToAdd: requestHeaders } : {}),
    ...(metadata === undefined ? {} : { dynamicMetadata: metadata }),
  });
}

function statusAsJson({ code, limit, remaining, resetSeconds }: DescriptorStatus): object {
  return {
    code: CODE_NAMES[code],
    ...(limit === undefined
      ? {}
      : {
          currentLimit: {
            ...(limit.requestsPerUnit > 0 ? { requestsPerUnit: limit.requestsPerUnit } : {}),
            ...(limit.unit > 0 ? { unit: (unitNumbered(limit.unit) ?? UNITS[0]!).name.toUpperCase() } : {}),
            ...(limit.name === '' ? {} : { name: limit.name }),
          },
        }),
    ...(remaining > 0 ? { limitRemaining: remaining } : {}),
    ...(limit === undefined ? {} : { durationUntilReset: `${resetSeconds}s` }),
  };
}
