import { describe, expect, it } from 'vitest';
import { readRequestFields } from './request-fields.js';

const GET = [':method', 'GET', ':scheme', 'https', ':path', '/a?b', ':authority', 'a.test'];
const POST = [':method', 'POST', ...GET.slice(2)];

describe('the fields of a request', () => {
  it('become what HTTP/1.1 would have said', () => {
    expect(readRequestFields([...GET, 'x', '1', 'cookie', 'a=1', 'y', '2', 'cookie', 'b=2'], false)).toEqual({
      method: 'GET',
      url: '/a?b',
      rawHeaders: ['host', 'a.test', 'x', '1', 'y', '2', 'cookie', 'a=1; b=2'],
      isGrpc: false,
      grpcTimeout: undefined,
    });
  });

  it('say that a body of unknown length is in pieces', () => {
    expect(readRequestFields(POST, true)?.rawHeaders).toEqual([
      'host',
      'a.test',
      'transfer-encoding',
      'chunked',
    ]);
    expect(readRequestFields([...POST, 'content-length', '5'], true)?.rawHeaders).toEqual([
      'host',
      'a.test',
      'content-length',
      '5',
    ]);
  });

  it('name a host once, in either way', () => {
    const bare = GET.slice(0, 6);
    expect(readRequestFields([...bare, 'host', 'a.test'], false)?.rawHeaders).toEqual(['host', 'a.test']);
    expect(readRequestFields([...GET, 'host', 'A.test'], false)?.rawHeaders).toEqual(['host', 'a.test']);
    expect(readRequestFields([...GET, 'host', 'b.test'], false)).toBeUndefined();
    expect(readRequestFields(bare, false)).toBeUndefined();
  });

  it.each([
    ['application/grpc', true],
    ['application/grpc+proto', true],
    ['application/grpc;x=y', true],
    ['application/grpc-web', false],
    ['application/json', false],
  ])('are those of gRPC by their type: %s', (type, isGrpc) => {
    const read = readRequestFields([...POST, 'content-type', type, 'grpc-timeout', '1S'], true);
    expect(read).toMatchObject({ isGrpc, grpcTimeout: isGrpc ? '1S' : undefined });
  });

  it('allow a star for OPTIONS alone', () => {
    const star = (method: string) => [':method', method, ':scheme', 'http', ':path', '*', ':authority', 'a'];
    expect(readRequestFields(star('OPTIONS'), false)?.url).toBe('*');
    expect(readRequestFields(star('GET'), false)).toBeUndefined();
  });

  it.each([
    ['a line break', ['x', 'a\r\nb']],
    ['a NUL', ['x', 'a\0']],
    ['space around it', ['x', ' a']],
    ['capitals in its name', ['X', 'a']],
    ['no name', ['', 'a']],
    ['a name that is none', ['x y', 'a']],
    ['a header of connections', ['transfer-encoding', 'chunked']],
    ['another TE', ['te', 'gzip, trailers']],
    ['a second length', ['content-length', '1', 'content-length', '1']],
    ['a pseudo-header behind it', ['x', 'a', ':own', 'b']],
    ['a second path', [':path', '/b']],
    ['a second method', [':method', 'GET']],
    ['a second scheme', [':scheme', 'http']],
    ['a second authority', [':authority', 'a.test']],
    ['a protocol', [':protocol', 'websocket']],
  ])('are refused with %s', (_name, more) => {
    expect(readRequestFields([...GET, ...more], false)).toBeUndefined();
  });

  it.each([
    [':method', 'G T'],
    [':method', ''],
    [':path', ''],
    [':path', 'a'],
    [':path', 'http://b/'],
    [':path', '/a b'],
    [':path', '/a#b'],
    [':scheme', 'ftp'],
  ])('are refused where %s is %j', (name, value) => {
    const fields = [...GET];
    fields[fields.indexOf(name) + 1] = value;
    expect(readRequestFields(fields, false)).toBeUndefined();
  });
});
