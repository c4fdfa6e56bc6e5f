import { type Duplex, PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { toHeaderRecord, toResponseHandler } from './handler.js';
import type { RawHeaders } from './raw-headers.js';

function raw(...texts: (string | string[])[]): RawHeaders {
  return texts.map((text) =>
    Array.isArray(text) ? text.map((each) => Buffer.from(each, 'latin1')) : Buffer.from(text, 'latin1'),
  );
}

interface Controller {
  readonly aborted: boolean;
  readonly paused: boolean;
  readonly reason: Error | null;
  readonly rawHeaders: RawHeaders | null;
  readonly rawTrailers: RawHeaders | null;
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/** A handler of the newer form that notes what it is told. */
function recorder() {
  const told: unknown[][] = [];
  let controller!: Controller;
  const handler = toResponseHandler({
    onRequestStart(given: Controller, context: object) {
      controller = given;
      told.push(['start', context]);
    },
    onResponseStart: (_: Controller, status: number, headers: object, text: string) =>
      told.push(['headers', status, { ...headers }, text]),
    onResponseData: (_: Controller, chunk: Buffer) => told.push(['data', String(chunk)]),
    onResponseEnd: (_: Controller, trailers: object) => told.push(['end', { ...trailers }]),
    onResponseError: (_: Controller, error: Error) => told.push(['error', error.message]),
    onRequestUpgrade: (_: Controller, status: number, headers: object, socket: object) =>
      told.push(['upgrade', status, { ...headers }, socket]),
  });
  return { handler, told, controller: () => controller };
}

describe('the older form', () => {
  const given = { onConnect() {}, onHeaders() {}, onData() {}, onComplete() {}, onError() {} };

  it('is the one spoken here, if it takes headers as text', () => {
    const handler = { ...given, takesText: true };
    expect(toResponseHandler(handler)).toBe(handler);
  });

  it('is told of headers and trailers in bytes else, and of all the rest as it is', () => {
    const told: unknown[] = [];
    const tell =
      (name: string) =>
      (...args: unknown[]) => {
        told.push([name, ...args]);
        return false;
      };
    const names = ['onConnect', 'onBodySent', 'onRequestSent', 'onResponseStarted', 'onHeaders', 'onData'];
    const others = ['onComplete', 'onUpgrade', 'onError'];
    const handler = toResponseHandler(
      Object.fromEntries([...names, ...others].map((name) => [name, tell(name)])),
    );
    const abort = () => {};
    const [chunk, error, socket, context] = [Buffer.from('c'), new Error('e'), {} as Duplex, {}];
    handler.onConnect(abort, context);
    handler.onBodySent!(chunk);
    handler.onRequestSent!();
    handler.onResponseStarted!();
    expect(handler.onHeaders(200, ['a', '\xe9'], abort, 'fine')).toBe(false);
    expect(handler.onData(chunk)).toBe(false);
    handler.onComplete(['t', '1']);
    handler.onUpgrade!(101, null, socket);
    handler.onError(error);
    expect(told).toEqual([
      ['onConnect', abort, context],
      ['onBodySent', chunk],
      ['onRequestSent'],
      ['onResponseStarted'],
      ['onHeaders', 200, [Buffer.from('a'), Buffer.from([0xe9])], abort, 'fine'],
      ['onData', chunk],
      ['onComplete', [Buffer.from('t'), Buffer.from('1')]],
      ['onUpgrade', 101, null, socket],
      ['onError', error],
    ]);
  });

  it('need not know of everything', () => {
    const handler = toResponseHandler(given);
    handler.onBodySent!('');
    handler.onRequestSent!();
    handler.onResponseStarted!();
    handler.onUpgrade!(101, null, {} as Duplex);
    handler.onComplete([]);
  });
});

describe('the newer form', () => {
  it('is told the same, with headers as an object', () => {
    const { handler, told, controller } = recorder();
    handler.onConnect(() => {}, { a: 1 });
    const headers = raw('Content-Type', 'text/plain');
    expect(handler.onHeaders(200, headers, () => {}, 'OK')).toBe(true);
    expect(handler.onData(Buffer.from('x'))).toBe(true);
    const trailers = raw('Checksum', '1');
    handler.onComplete(trailers);
    handler.onError(new Error('late'));
    expect(told).toEqual([
      ['start', { a: 1 }],
      ['headers', 200, { 'content-type': 'text/plain' }, 'OK'],
      ['data', 'x'],
      ['end', { checksum: '1' }],
      ['error', 'late'],
    ]);
    expect(controller()).toMatchObject({ rawHeaders: headers, rawTrailers: trailers });
  });

  it('is told of an upgrade, with or without headers', () => {
    const { handler, told } = recorder();
    const socket = new PassThrough();
    handler.onConnect(() => {});
    handler.onUpgrade!(101, raw('Upgrade', 'websocket'), socket);
    handler.onUpgrade!(101, null, socket);
    expect(told.slice(1)).toEqual([
      ['upgrade', 101, { upgrade: 'websocket' }, socket],
      ['upgrade', 101, {}, socket],
    ]);
  });

  it('aborts once, with its reason', () => {
    const { handler, controller } = recorder();
    const reasons: unknown[] = [];
    handler.onConnect((reason) => reasons.push(reason));
    const reason = new Error('enough');
    controller().abort(reason);
    controller().abort(new Error('again'));
    expect(reasons).toEqual([reason]);
    expect(controller()).toMatchObject({ aborted: true, reason });
  });

  it('pauses until it resumes', () => {
    const { handler, controller } = recorder();
    let resumed = 0;
    handler.onConnect(() => {});
    controller().pause();
    expect(handler.onHeaders(200, [], () => resumed++, 'OK')).toBe(false);
    expect(handler.onData(Buffer.from('x'))).toBe(false);
    controller().resume();
    controller().resume();
    expect(resumed).toBe(1);
    expect(handler.onData(Buffer.from('y'))).toBe(true);
  });

  it('may leave out what it does not care for, and may be told of an error at once', () => {
    const handler = toResponseHandler({ onRequestStart() {} });
    handler.onError(new Error('closed'));
    handler.onConnect(() => {});
    expect(handler.onHeaders(204, [], () => {}, '')).toBe(true);
    expect(handler.onData(Buffer.from(''))).toBe(true);
    handler.onComplete([]);
    handler.onUpgrade!(101, null, new PassThrough());
  });
});

describe('toHeaderRecord', () => {
  it('has names in lower case and lists of what came more than once', () => {
    const record = toHeaderRecord(
      raw('A', '1', 'set-cookie', ['x', 'y'], 'a', '2', 'Set-Cookie', 'z', 'b', ['only']),
    );
    expect({ ...record }).toEqual({ a: ['1', '2'], 'set-cookie': ['x', 'y', 'z'], b: 'only' });
  });

  it('reads bytes as Node does', () => {
    expect(toHeaderRecord(raw('a', 'caf\u00e9'))['a']).toBe('caf\u00e9');
  });

  it('takes any name, and drops one without a value', () => {
    const record = toHeaderRecord(raw('__proto__', 'x', 'constructor', 'y', 'alone'));
    expect(Object.entries(record)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});
