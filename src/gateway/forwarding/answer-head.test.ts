import { describe, expect, it } from 'vitest';
import { AnswerHead, readTrailers } from './answer-head.js';
import { HeaderEdits } from './header-edits.js';

const raw = (...parts: (string | string[])[]) =>
  parts.map((part) =>
    Array.isArray(part) ? part.map((each) => Buffer.from(each, 'latin1')) : Buffer.from(part, 'latin1'),
  );

function read(parts: (string | string[])[], edits?: HeaderEdits) {
  const head = new AnswerHead();
  const fault = head.read(raw(...parts), edits);
  return { head, fault };
}

describe('AnswerHead', () => {
  it('keeps what is between service and client, and notes what frames it', () => {
    const { head, fault } = read([
      'Date',
      'd',
      'Content-Length',
      '12',
      'Set-Cookie',
      'a',
      'set-cookie',
      'b\xe9',
    ]);
    expect(fault).toBeUndefined();
    expect(head.headers).toEqual(['Date', 'd', 'Set-Cookie', 'a', 'set-cookie', 'b\xe9']);
    expect([head.contentLength, head.hasDate]).toEqual([12, true]);
  });

  it('takes lists apart', () => {
    expect(read(['set-cookie', ['a', 'b']]).head.headers).toEqual(['set-cookie', 'a', 'set-cookie', 'b']);
    expect(read(['content-length', ['1', '1']]).fault).toBe('two lengths');
  });

  it('has one date', () => {
    expect(read(['date', 'a', 'date', 'b']).head.headers).toEqual(['date', 'a']);
  });

  it.each([
    'Upgrade',
    'trailer',
    'Keep-Alive',
    'Transfer-Encoding',
    'endpoint-load-metrics',
    'endpoint-load-metrics-bin',
    'x-envoy-immediate-health-check-fail',
    'x-envoy-overloaded',
    'grpc-retry-pushback-ms',
    'Proxy-Authenticate',
    'proxy-x',
    'X-Plimsoll-Secrets',
    'x-plimsoll-a',
  ])('drops %s', (name) => {
    expect(read([name, '1', 'x', '2']).head.headers).toEqual(['x', '2']);
  });

  it.each([
    'retry-after',
    'ratelimit',
    'x-envoy-ratelimited',
    'x-plimsolls',
    'proxies',
    'x-abcdefghijklmno',
    'x-abcdefghijklmnop',
    'x-abcdefghijklmnopqrs',
    'x-abcdefghijklmnopqrst',
    'x-abcdefghijklmnopqrstuvw',
    'x-abcdefghijklmnopqrstuvwxyzabcdefg',
    'etag',
    'x-ab-cd-ef',
    'content-langua',
  ])('keeps %s', (name) => {
    expect(read([name, '1']).head.headers).toEqual([name, '1']);
  });

  it('drops what its Connection header names', () => {
    expect(
      read(['A', '1', 'B', '2', 'connection', 'a', 'Connection', 'close, C', 'c', '3']).head.headers,
    ).toEqual(['B', '2']);
    expect(read(['connection', Array(40).fill('a').join()]).fault).toBe('too many options of its connection');
  });

  it.each([
    [['content-length', '1', 'content-length', '1'], 'two lengths'],
    [['content-length', '1, 1'], 'a length that is none'],
    [['x', 'a\r\nb: c'], 'a header that is none'],
    [['x', 'a\0'], 'a header that is none'],
    [['x y', 'a'], 'a header that is none'],
    [['', 'a'], 'a header that is none'],
  ])('passes nothing on of %j', (parts, fault) => {
    expect(read(parts).fault).toBe(fault);
  });

  it('is changed as the operator says', () => {
    const edits = new HeaderEdits('edits', { set: { 'X-A': '9' }, remove: ['server'] });
    expect(read(['Server', 's', 'x-a', '1', 'x-b', '2'], edits).head.headers).toEqual([
      'x-b',
      '2',
      'x-a',
      '9',
    ]);
  });
});

describe('readTrailers', () => {
  it('keeps what a gRPC server says of when to come again', () => {
    const trailers = ['grpc-status', '14', 'grpc-retry-pushback-ms', '250', 'endpoint-load-metrics-bin', 'x'];
    expect(readTrailers(raw(...trailers))).toEqual(trailers.slice(0, 4));
  });

  it('keeps what means something after the body', () => {
    const trailers = [
      'grpc-status',
      '0',
      'Content-Type',
      'a',
      'transfer-encoding',
      'chunked',
      'host',
      'h',
      'set-cookie',
      'c',
      'x',
      'a\nb',
      'y z',
      '1',
      'endpoint-load-metrics',
      'l',
    ];
    expect(readTrailers(raw(...trailers))).toEqual(['grpc-status', '0']);
    expect(readTrailers(raw('x', ['a']))).toEqual(['x', '']);
  });
});
