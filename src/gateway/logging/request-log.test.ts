import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { REQUEST } from '../../server/intake/guarded-response.js';
import { requestIdOf } from '../forwarding/request-id.js';
import {
  FAKE_GENERATION,
  FAKE_ROUTE,
  FakeLines,
  FakeResponse,
  fakeRequest,
} from './fake-request.contract.js';
import { REFUSAL_SUMS_DEFAULTS, RefusalSums } from './refusal-sums.js';
import { RequestIds } from './request-ids.js';
import { RequestLog, type RequestLogOptions } from './request-log.js';
import { noteCustomer, noteLimit, noteStatus, recordOf } from './request-record.js';

function setUp(given: Partial<RequestLogOptions> = {}, linesPerWindow = 2) {
  const lines = new FakeLines();
  const sums = new RefusalSums({ ...REFUSAL_SUMS_DEFAULTS, linesPerWindow });
  const chances = [0.05, 0.5];
  let summed = 0;
  const log = new RequestLog(
    { sample: 1, query: false, requestId: true, ...given },
    {
      lines,
      sums,
      ids: new RequestIds('me'),
      onSummed: () => {
        summed++;
      },
      random: () => chances.shift() ?? 0.99,
    },
  );
  const ask = (
    status: number,
    url = '/a?secret=1',
    rawHeaders: readonly string[] = [],
    route = FAKE_ROUTE,
  ) => {
    const req = fakeRequest(url, rawHeaders);
    const res = new FakeResponse();
    log.begin(req, res.asResponse, FAKE_GENERATION, route);
    return { req, res, end: () => res.finish(status) };
  };
  return { log, lines, sums, ask, summed: () => summed };
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';

describe('RequestLog', () => {
  it('has a line for each request, at its end', () => {
    const { ask, lines } = setUp();
    const { req, end } = ask(200, '/a?secret=1', ['TraceParent', `00-${TRACE}-b7ad6b7169203331-01`]);
    noteCustomer(req, 'acme');
    const record = recordOf(req)!;
    Object.assign(record, { attempts: 2, backend: 'http://b:1', backendMs: 1.23456 });
    Object.assign(req.socket, { bytesRead: 100, bytesWritten: 200 });
    expect(lines.written).toEqual([]);
    end();
    expect(lines.written).toEqual([
      {
        level: 'info',
        message: 'request',
        fields: {
          id: 'me-0',
          trace: TRACE,
          method: 'GET',
          host: undefined,
          path: '/a',
          status: 200,
          reason: undefined,
          limit: undefined,
          error: undefined,
          route: 'api',
          service: 'users',
          backend: 'http://b:1',
          attempts: 2,
          criticality: undefined,
          customer: 'acme',
          ms: expect.any(Number),
          queueMs: 0,
          backendMs: 1.235,
          bytesIn: 100,
          bytesOut: 200,
          client: '10.0.0.9',
          protocol: 'HTTP/1.1',
        },
      },
    ]);
  });

  it('believes an id of callers that are trusted, and of nobody else', () => {
    const { ask } = setUp();
    const { req } = ask(200, '/', ['x-request-id', 'theirs']);
    expect(requestIdOf(req)).toBe('me-0');
    const { log } = setUp();
    const trusted = (id: string) => {
      const asked = fakeRequest('/', ['X-Request-Id', id], { remoteAddress: '10.1.1.1' });
      log.beginUpgrade(asked, new PassThrough() as Duplex, FAKE_GENERATION, FAKE_ROUTE);
      return requestIdOf(asked);
    };
    expect([trusted('theirs'), trusted('bad id')]).toEqual(['theirs', 'me-0']);
    const silent = setUp({ requestId: false }).ask(200);
    expect(requestIdOf(silent.req)).toBe(undefined);
  });

  it('leaves out most of those that go well, when asked to, and no other', () => {
    const { ask, lines } = setUp({ sample: 0.1 });
    for (const status of [200, 304, 302, 404, 500]) {
      const { req, end } = ask(status);
      recordOf(req)!.attempts = 1;
      end();
    }
    expect(lines.written.map(({ level, fields }) => [level, fields.status])).toEqual([
      ['info', 200],
      ['info', 404],
      ['error', 500],
    ]);
  });

  it('adds refusals up when there are many', () => {
    const { ask, lines, sums, summed } = setUp();
    for (let i = 0; i < 5; i++) {
      const { req, end } = ask(429);
      noteLimit(req, [
        { rule: { name: 'five' }, decision: { allowed: false } },
        { rule: { name: 'ten' }, decision: { allowed: true } },
      ]);
      end();
    }
    expect(lines.written.map(({ message, fields }) => [message, fields.reason, fields.limit])).toEqual([
      ['refused', 'rate-limit', 'five'],
      ['refused', 'rate-limit', 'five'],
    ]);
    expect(sums.take()).toEqual([{ reason: 'rate-limit', route: 'api', criticality: '', count: 3 }]);
    expect(summed()).toBe(3);
  });

  it('says at which host nothing was found', () => {
    const { log, lines } = setUp();
    const res = new FakeResponse();
    log.begin(fakeRequest('/x', ['Host', 'no.example']), res.asResponse, FAKE_GENERATION, undefined);
    res.finish(404);
    expect(lines.written[0]!.fields).toMatchObject({ host: 'no.example', reason: 'no-route', status: 404 });
  });

  it('tells clients that left from backends that failed', async () => {
    const { ask, lines } = setUp();
    const left = ask(0);
    left.res.emit('close');
    const broken = ask(0);
    broken.res.headersSent = true;
    Object.assign(recordOf(broken.req)!, {
      attempts: 1,
      error: Object.assign(new Error('x'), { code: 'ECONNRESET' }),
    });
    broken.res.emit('close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(
      lines.written.map(({ level, fields }) => [level, fields.status, fields.reason, fields.error]),
    ).toEqual([
      ['info', undefined, 'client-left', undefined],
      ['error', 200, 'backend-failed', 'ECONNRESET'],
    ]);
  });

  it('has a line, too, for who left before the answers in front of its own were out', async () => {
    const { log, lines } = setUp();
    const socket = new EventEmitter();
    const req = fakeRequest('/a', [], socket);
    const res = Object.assign(new FakeResponse(), { socket: null, req: { socket } });
    log.begin(req, res.asResponse, FAKE_GENERATION, FAKE_ROUTE);
    socket.emit('close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines.written.map(({ fields }) => fields.reason)).toEqual(['client-left']);
  });

  it('says what a client that left has had of a backend, which is known only when that is told so', async () => {
    const { ask, lines } = setUp();
    const { req, res } = ask(0);
    res.headersSent = true;
    // The client of the service ends its request upon the same event.
    res.on('close', () => Object.assign(recordOf(req)!, { attempts: 1, backend: 'http://b:1' }));
    res.emit('close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines.written[0]!.fields).toMatchObject({
      reason: 'client-left',
      status: 200,
      attempts: 1,
      backend: 'http://b:1',
    });
  });

  it('says that it was the gateway that ended what the end of a drain has cut', async () => {
    const { log, ask, lines } = setUp();
    log.follow(() => true);
    ask(0).res.emit('close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines.written[0]!.fields.reason).toBe('drain');
  });

  it('has an IPv4 address as people know it, wherever it listens', () => {
    const { log, lines } = setUp();
    for (const remoteAddress of ['::ffff:10.0.0.9', '::ffff:0:1', '::1']) {
      const res = new FakeResponse();
      log.begin(fakeRequest('/', [], { remoteAddress }), res.asResponse, FAKE_GENERATION, FAKE_ROUTE);
      res.finish(200);
    }
    expect(lines.written.map(({ fields }) => fields.client)).toEqual(['10.0.0.9', '::ffff:0:1', '::1']);
  });

  it('counts bytes of each request of a connection apart, also of those without a line', () => {
    const { log, lines } = setUp({ sample: 0 });
    const socket = { remoteAddress: '::1', bytesRead: 0, bytesWritten: 0 };
    const ask = (status: number, read: number) => {
      const req = { ...fakeRequest('/'), socket } as ReturnType<typeof fakeRequest>;
      const res = new FakeResponse();
      log.begin(req, res.asResponse, FAKE_GENERATION, FAKE_ROUTE);
      recordOf(req)!.attempts = 1;
      socket.bytesRead += read;
      res.finish(status);
    };
    ask(200, 1_000);
    ask(500, 10);
    expect(lines.written.map(({ fields }) => fields.bytesIn)).toEqual([10]);
  });

  it('has the line of an upgrade when its connection ends', async () => {
    const { log, lines } = setUp();
    const socket = new PassThrough();
    const req = fakeRequest('/ws');
    Object.assign(socket, { [REQUEST]: { arrivedMs: 0, customer: 'acme', criticality: 'SHEDDABLE' } });
    log.beginUpgrade(req, socket as Duplex, FAKE_GENERATION, FAKE_ROUTE);
    recordOf(req)!.attempts = 1;
    const refused = new PassThrough();
    const lost = fakeRequest('/ws');
    log.beginUpgrade(lost, refused as Duplex, FAKE_GENERATION, undefined);
    noteStatus(lost, 405);
    const unanswered = new PassThrough();
    log.beginUpgrade(fakeRequest('/ws'), unanswered as Duplex, FAKE_GENERATION, FAKE_ROUTE);
    for (const each of [socket, refused, unanswered]) each.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines.written.map(({ fields }) => [fields.status, fields.reason])).toEqual([
      [101, undefined],
      [405, 'bad-method'],
      [undefined, 'client-left'],
    ]);
    // Of the first the guard knows more.
    expect(lines.written[0]!.fields).toMatchObject({ customer: 'acme', criticality: 'SHEDDABLE' });
  });
});
