import { describe, expect, it } from 'vitest';
import { requestFields } from './request-fields.js';

const URL_HERE = new URL('https://10.0.0.1:8443');
const line = (headers: string[], more = {}) =>
  requestFields({ method: 'POST', path: '/a', headers, ...more }, URL_HERE);

describe('a request by HTTP/2', () => {
  it('has its line in fields, and its host as :authority', () => {
    expect(
      line(['Host', 'a.test', 'X-Own', '1', 'x-own', '2', 'te', 'trailers', 'content-length', '5']),
    ).toEqual({
      ':method': 'POST',
      ':scheme': 'https',
      ':path': '/a',
      ':authority': 'a.test',
      'x-own': ['1', '2'],
      te: 'trailers',
      'content-length': '5',
    });
    expect(line([])[':authority']).toBe('10.0.0.1:8443');
  });

  it('leaves out what HTTP/2 has no place for', () => {
    const fields = line([
      'connection',
      'x',
      'transfer-encoding',
      'chunked',
      'te',
      'gzip',
      'expect',
      '100-continue',
    ]);
    expect(Object.keys(fields).filter((name) => !name.startsWith(':'))).toEqual([]);
  });

  it('says in gRPC’s words what is left of a call’s time', () => {
    const left = ['x-envoy-expected-rq-timeout-ms', '250'];
    expect(line(['content-type', 'application/grpc+proto', 'grpc-timeout', '9S', ...left])).toMatchObject({
      'grpc-timeout': '250m',
    });
    expect(line(['content-type', 'application/grpc', ...left])).toMatchObject({ 'grpc-timeout': '250m' });
    expect(line(['content-type', 'application/grpc', 'grpc-timeout', '9S'])).toMatchObject({
      'grpc-timeout': '9S',
    });
    expect(line(left)).not.toHaveProperty('grpc-timeout');
  });

  it('takes a query', () => {
    expect(line([], { query: { a: [1, 2], b: null, c: 'x y' } })[':path']).toBe('/a?a=1&a=2&c=x+y');
    expect(line([], { path: '/a?z=0', query: { a: 1 } })[':path']).toBe('/a?z=0&a=1');
    expect(line([], { query: {} })[':path']).toBe('/a');
  });
});
