import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { HeaderEdits } from './header-edits.js';
import { putRequestId, requestIdOf, tagRequest } from './request-id.js';

function tagged(): IncomingMessage {
  const req = {} as IncomingMessage;
  tagRequest(req, 'id-1');
  return req;
}

function put(headers: string[], edits?: HeaderEdits, req = tagged()): string[] {
  putRequestId(req, headers, edits);
  return headers;
}

describe('request ids', () => {
  it('are said in place of what others say', () => {
    expect(requestIdOf(tagged())).toBe('id-1');
    expect(put(['a', 'b'])).toEqual(['a', 'b', 'x-request-id', 'id-1']);
    expect(put(['X-Request-ID', 'forged', 'a', 'x-request-id', 'x-request-id', 'again'])).toEqual([
      'X-Request-ID',
      'id-1',
      'a',
      'x-request-id',
      'x-request-id',
      'id-1',
    ]);
  });

  it('are left alone where there is none, or an operator has a word for it', () => {
    expect(put(['x-request-id', 'theirs'], undefined, {} as IncomingMessage)).toEqual([
      'x-request-id',
      'theirs',
    ]);
    expect(put([], new HeaderEdits('requestHeaders', { set: { 'X-Request-Id': 'x' } }))).toEqual([]);
    expect(put([], new HeaderEdits('requestHeaders', { remove: ['x-other'] }))).toHaveLength(2);
  });
});
