import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../client/until.js';
import { type RawAnswerer, RawBackend } from './raw-backend.js';
import { exchange, statuses } from './raw-exchange.js';
import { TinyGateway, type TinyGatewayOptions } from './tiny-gateway.js';

let backend: RawBackend;
let gateway: TinyGateway;
let answer: RawAnswerer;

const setUp = async (options: TinyGatewayOptions = {}) => {
  backend = await RawBackend.start((...args) => answer(...args));
  gateway = await TinyGateway.start([backend.port], {
    client: { retry: false, ...options.client },
    ...options,
  });
};

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

const get = (isEnough: (text: string) => boolean, bytes = GET) => exchange(gateway.port, bytes, isEnough);
const problem = (text: string) => text.endsWith('}');

describe('an answer', () => {
  beforeEach(() => setUp());
  afterEach(async () => {
    await gateway.stop();
    await backend.stop();
    expect(gateway.errors).toEqual([]);
  });

  it('in chunks that come at once has a length', async () => {
    answer = () => 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';
    const text = await get((all) => all.endsWith('ok'));
    expect(text).toMatch(/content-length: 2\r\n/);
    expect(text).not.toMatch(/chunked/);
  });

  it('in chunks that come one by one passes as they come', async () => {
    answer = (_request, socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
      );
      return undefined;
    };
    const socket = connect(gateway.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.write(GET);
    await until('the head is there', () => text.endsWith('\r\n\r\n'));
    const backendSocket = backend.connections.find(({ bytes }) => bytes !== '')!.socket;
    for (const event of ['one', 'two', 'three']) {
      backendSocket.write(`${event.length.toString(16)}\r\n${event}\r\n`);
      await until(`${event} is there`, () => text.endsWith(`${event}\r\n`));
    }
    backendSocket.write('0\r\nx-sum: 6\r\ncontent-type: a/b\r\nendpoint-load-metrics: no\r\n\r\n');
    await until('its end is there', () => text.endsWith('0\r\nx-sum: 6\r\n\r\n'));
    socket.destroy();
  });

  it('without a length ends with the connection of the backend, and not with the client’s', async () => {
    answer = (_request, socket) => {
      socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nok');
      return undefined;
    };
    const text = await get((all) => /ok(?:\r\n0\r\n\r\n)?$/.test(all));
    expect(text).toMatch(/connection: keep-alive/i);
    expect(text).toMatch(/content-length: 2|chunked/);
  });

  it.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n', 'HEAD', /content-length: 99\r\n/],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', 'GET', /^HTTP\/1\.1 204 (?!.*length)/],
    ['304', 'HTTP/1.1 304 Not Modified\r\netag: "a"\r\n\r\n', 'GET', /etag: "a"/],
    ['no bytes', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'GET', /content-length: 0\r\n/],
    [
      'no bytes in chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'GET',
      /content-length: 0\r\n/,
    ],
  ])('without a body is one, and the next follows: %s', async (_name, first, method, pattern) => {
    answer = (request) => (request.includes(' /2 ') ? OK : first);
    const text = await get(
      (all) => all.endsWith('ok'),
      `${method} /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\n\r\n`,
    );
    expect(text).toMatch(pattern);
    expect(statuses(text)[1]).toBe(200);
    expect(text.split('\r\n\r\n')).toHaveLength(3);
  });

  it.each([
    ['204', 'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n'],
    ['304', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n'],
  ])(
    'that has no body is not waited for, whatever it says, and the next follows: %s',
    async (_name, first) => {
      answer = (request) => (request.includes(' /2 ') ? OK : first);
      const text = await get(
        (all) => all.endsWith('ok'),
        'GET /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\n\r\n',
      );
      expect(statuses(text)[1]).toBe(200);
      expect(text.split('\r\n\r\n')[0]).not.toMatch(/content-length/i);
      await until('nothing is left', () => gateway.guard.snapshot().inFlight === 0);
    },
  );

  it('to HTTP/1.0 has no chunks', async () => {
    answer = (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n');
      setTimeout(() => socket.write('2\r\nok\r\n0\r\n\r\n'), 20);
      return undefined;
    };
    const text = await exchange(gateway.port, 'GET / HTTP/1.0\r\n\r\n');
    expect(text).toMatch(/connection: close[\s\S]*\r\n\r\nokok$/i);
    expect(text).not.toMatch(/chunked/);
  });

  it('comes no faster than its client reads', async () => {
    let written = 0;
    let isFull = false;
    answer = (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n');
      const chunk = Buffer.alloc(65_536);
      const fill = () => {
        for (isFull = false; written < 500_000_000; written += chunk.length)
          if (!socket.write(chunk)) {
            isFull = true;
            return;
          }
      };
      socket.on('drain', fill);
      fill();
      return undefined;
    };
    const socket = connect(gateway.port, '127.0.0.1');
    socket.pause();
    socket.write(GET);
    await until('it has begun', () => written > 0);
    let before = -1;
    for (let quiet = 0; quiet < 10; quiet = written === before ? quiet + 1 : 0) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect(isFull).toBe(true);
    expect(written).toBeLessThan(64_000_000);
    // And goes on when it does.
    let read = 0;
    socket.on('data', (chunk) => {
      read += chunk.length;
    });
    socket.resume();
    await until('more has come', () => read > before + 10_000_000);
    socket.destroy();
    await until('nothing is left', () => gateway.guard.snapshot().inFlight === 0);
  });

  it('is whole when it is large and comes in pieces', async () => {
    const body = Buffer.alloc(2_000_000, 'abcdefghij').toString('latin1');
    answer = () => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const text = await get((all) => all.length > body.length && all.endsWith('j'));
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(body);
  });
});

describe('an answer that is none', () => {
  beforeEach(() => setUp());
  afterEach(async () => {
    await gateway.stop();
    await backend.stop();
    expect(gateway.errors).toEqual([]);
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc'],
    ['two lengths that are the same', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nab'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\nab'],
    ['a header with a NUL', 'HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 2\r\n\r\nab'],
    ['a header with a lonely CR', 'HTTP/1.1 200 OK\r\nx: a\rset-cookie: b\r\ncontent-length: 2\r\n\r\nab'],
    ['a name with a blank', 'HTTP/1.1 200 OK\r\nx y: a\r\ncontent-length: 2\r\n\r\nab'],
    ['100 that nobody asked for', 'HTTP/1.1 100 Continue\r\n\r\n'],
    [
      'another protocol that nobody asked for',
      'HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    ],
    ['101 without a word of what', 'HTTP/1.1 101 Go\r\n\r\n'],
    ['hints without end', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1_000)],
  ])('becomes 502, and says nothing of what it was: %s', async (_name, text) => {
    answer = () => text;
    const got = await get(problem);
    expect(statuses(got)).toEqual([502]);
    expect(got).toMatch(/application\/problem\+json/);
    expect(got).toMatch(/\r\n\r\n\{"title":"Bad gateway","status":502\}$/);
    await until('nothing is left', () => gateway.guard.snapshot().inFlight === 0);
  });

  it('splits in no place: what a backend adds is never a second answer', async () => {
    answer = (request) =>
      request.includes(' /2 ')
        ? OK
        : 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nhidden';
    const first = await get((all) => all.endsWith('ok'));
    const second = await get((all) => all.endsWith('ok'), 'GET /2 HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(first + second).not.toContain('hidden');
  });

  it('has one length, also when the backend says both', async () => {
    answer = () =>
      'HTTP/1.1 200 OK\r\ncontent-length: 99\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';
    const text = await get((all) => all.endsWith('ok') || problem(all));
    expect(text.match(/^(?:content-length|transfer-encoding):/gim)).toHaveLength(1);
    expect(text).not.toContain('99');
  });

  it('passes after a hint, which does not', async () => {
    answer = () => `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}`;
    expect(statuses(await get((all) => all.endsWith('ok')))).toEqual([200]);
  });

  it.each([
    ['of a known length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbeginning'],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nbeginning\r\n'],
  ])('that is cut off does not look complete: %s', async (_name, beginning) => {
    answer = (_request, socket) => {
      socket.write(beginning);
      setTimeout(() => socket.destroy(), 30);
      return undefined;
    };
    const text = await get(() => false);
    expect(text).toMatch(/beginning/);
    expect(text).not.toMatch(/0\r\n\r\n$/);
    expect(statuses(text)).toEqual([200]);
  });

  it('that goes wrong on the way is cut off', async () => {
    answer = () => 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n0\r\n\r\n';
    const text = await get((all) => problem(all) || all.endsWith('0\r\n\r\n'));
    expect(text).not.toMatch(/0\r\n\r\n$|content-length: 5/);
  });
});

describe('a backend that does not answer', () => {
  afterEach(async () => {
    await gateway.stop();
    await backend.stop();
  });

  it('is 504 when the time is over', async () => {
    await setUp({ target: { timeoutMs: 50 } });
    answer = () => undefined;
    const text = await get(problem);
    expect(statuses(text)).toEqual([504]);
    expect(text).toMatch(/application\/problem\+json/);
  });

  it('is 504 when its own time is over', async () => {
    await setUp({ client: { retry: false, connections: { headersTimeoutMs: 1_000 } } });
    answer = () => undefined;
    expect(statuses(await get(problem))).toEqual([504]);
  });

  it('is 502 when it is cut off', async () => {
    await setUp();
    answer = (_request, socket) => {
      socket.destroy();
      return undefined;
    };
    expect(statuses(await get(problem))).toEqual([502]);
  });

  it('is 503 and says when to come again if it refuses', async () => {
    await setUp({ client: { retry: false, refusals: 'throw' } });
    answer = () =>
      'HTTP/1.1 503 No\r\nx-envoy-overloaded: true\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n';
    const text = await get(problem);
    expect(statuses(text)).toEqual([503]);
    expect(text).toMatch(/retry-after: 7\r\n/);
    expect(text).toMatch(/grpc-retry-pushback-ms: -1\r\n/);
  });

  it('costs nobody the connection when it is refused at once', async () => {
    await setUp({ client: { retry: false, roster: { activeLimit: 1 }, waiting: { maxWaiting: 0 } } });
    answer = () => undefined;
    const waiting = exchange(gateway.port, GET);
    await until('the one place is taken', () => gateway.client.snapshot().backends[0]!.active === 1);
    const text = await exchange(gateway.port, GET + GET, (text) => statuses(text).length === 2);
    expect(statuses(text)).toEqual([503, 503]);
    expect(text).not.toMatch(/connection: close/i);
    for (const socket of gateway.sockets) socket.destroy();
    await waiting;
  });

  it('is 503 when nobody is there', async () => {
    await setUp({ client: { retry: false, startTimeoutMs: 100 } });
    answer = () => undefined;
    await backend.stop();
    backend = await RawBackend.start();
    await until('it is known', () =>
      gateway.client.snapshot().backends.every(({ state }) => state !== 'ready'),
    );
    const text = await get(problem);
    expect([502, 503]).toContain(statuses(text)[0]);
  });
});
