import { channel } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { followClients } from './client-ends.js';
import { FAKE_GENERATION, FAKE_ROUTE, fakeRequest } from './fake-request.contract.js';
import { RequestRecord } from './request-record.js';

const ended = channel('plimsoll:client:end');
const error = new Error('gone');

function record(): RequestRecord {
  return new RequestRecord(fakeRequest('/'), FAKE_GENERATION, FAKE_ROUTE, undefined, 'id', undefined, 0);
}

function tell(of: { readonly req: object } | undefined, lastAttempt: object | undefined): void {
  const request = { handler: { request: of?.req }, attempts: 1, lastAttempt };
  ended.publish({ request, error, latencyMs: 5 });
}

describe('followClients', () => {
  it('notes who has answered a request, until it is told not to', () => {
    const stop = followClients();
    const one = record();
    tell(one, { link: { key: 'http://b:1' }, status: 404 });
    expect(one).toMatchObject({
      attempts: 1,
      backend: 'http://b:1',
      backendStatus: 404,
      backendMs: 5,
      error,
    });
    const unsent = record();
    tell(unsent, undefined);
    expect([unsent.attempts, unsent.backend]).toEqual([0, undefined]);
    // Of somebody else's client.
    expect(() => tell(undefined, undefined)).not.toThrow();
    expect(() => tell({ req: {} }, undefined)).not.toThrow();
    stop();
    const late = record();
    tell(late, { link: { key: 'http://b:1' }, status: 200 });
    expect(late.attempts).toBe(0);
  });
});
