import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { RejectedError } from '../../core/index.js';
import { LAME_DUCK_HEADER, LOAD_REPORT_TRAILER } from '../../wire/index.js';
import { finalFailure, finalRefusal, refusedStatus, withoutHopFields } from './refused-status.js';

function metadataOf(fields: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
  return metadata;
}

const DONT_RETRY = { 'x-envoy-overloaded': 'true', 'grpc-retry-pushback-ms': '-1' };

describe('what a caller is told', () => {
  it('of a call that was refused here: why, and not to retry', () => {
    const error = new RejectedError('PLIMSOLL_THROTTLED', 'too much', { retry: 'later' });
    const told = refusedStatus(error, new Metadata());
    expect(told).toMatchObject({
      code: status.UNAVAILABLE,
      details: 'PLIMSOLL_THROTTLED: too much',
      cause: error,
    });
    expect(told.metadata.getMap()).toEqual(DONT_RETRY);
    const late = new RejectedError('PLIMSOLL_DEADLINE', 'late', { retry: 'no' });
    expect(refusedStatus(late, new Metadata()).code).toBe(status.DEADLINE_EXCEEDED);
  });

  it('of the last refusal of a backend, and of one that came too late to be one: not to retry', () => {
    const error = new RejectedError('PLIMSOLL_OVERLOADED', 'busy', { retry: 'later' });
    const ended = {
      code: status.UNAVAILABLE,
      details: 'busy',
      metadata: metadataOf({ 'x-envoy-overloaded': 'true' }),
    };
    expect(finalRefusal(ended, error).metadata.getMap()).toEqual(DONT_RETRY);
    expect(finalFailure(ended).metadata.getMap()).toEqual(DONT_RETRY);
    const other = { code: status.INTERNAL, details: '', metadata: new Metadata() };
    expect(finalFailure(other)).toBe(other);
  });

  it('of an error: nothing that its backend says of itself alone', () => {
    const metadata = metadataOf({ 'x-reason': 'why', [LAME_DUCK_HEADER]: 'true' });
    metadata.set(LOAD_REPORT_TRAILER, Buffer.from('report'));
    const told = withoutHopFields({ code: status.NOT_FOUND, details: 'no such', metadata });
    expect(told).toMatchObject({ code: status.NOT_FOUND, details: 'no such' });
    expect(told.metadata.getMap()).toEqual({ 'x-reason': 'why' });
    // Others look at it, too.
    expect(metadata.get(LAME_DUCK_HEADER)).toEqual(['true']);
  });

  it('of all else: what there is, as it is', () => {
    const plain = { code: status.NOT_FOUND, details: '', metadata: metadataOf({ 'x-reason': 'why' }) };
    expect(withoutHopFields(plain)).toBe(plain);
    const answered = { code: status.OK, details: '', metadata: metadataOf({ [LAME_DUCK_HEADER]: 'true' }) };
    expect(withoutHopFields(answered)).toBe(answered);
  });
});
