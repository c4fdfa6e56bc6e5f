import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HeaderEdits } from '../../../../src/gateway/forwarding/index.js';
import { RawBackend } from './raw-backend.js';
import { exchange } from './raw-exchange.js';
import { TinyGateway, type TinyGatewayOptions } from './tiny-gateway.js';

let backend: RawBackend;
let gateway: TinyGateway | undefined;
let answer = '';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

beforeEach(async () => {
  answer = OK;
  backend = await RawBackend.start(() => answer);
});

afterEach(async () => {
  await gateway?.stop();
  await backend.stop();
});

const start = async (options?: TinyGatewayOptions) => {
  gateway = await TinyGateway.start([backend.port], options);
  return gateway.port;
};

/** What the backend was told, by name; several of one name are a list. */
function told(): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const line of backend.bytes.split('\r\n\r\n')[0]!.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    found[name] = [...(found[name] ?? []), line.slice(colon + 1).trim()];
  }
  return found;
}

const get = (port: number, ...headers: string[]) =>
  exchange(port, `GET /a?b=c HTTP/1.1\r\n${['host: shop.test', ...headers].join('\r\n')}\r\n\r\n`, (text) =>
    text.endsWith('ok'),
  );

describe('headers of a request', () => {
  it('are those of the client, without what was for us alone', async () => {
    await get(
      await start(),
      'accept: */*',
      'X-Kept: 1',
      'x-kept: 2',
      'connection: close, X-For-Us, content-length, x-forwarded-for',
      'x-for-us: 1',
      'keep-alive: timeout=5',
      'proxy-authorization: secret',
      'proxy-connection: keep-alive',
      'proxy: http://evil',
      'te: gzip, trailers',
      'trailer: x',
      'upgrade: h3',
      'expect: 100-continue',
    );
    const headers = told();
    expect(headers).toMatchObject({
      accept: ['*/*'],
      'x-kept': ['1', '2'],
      te: ['trailers'],
      via: ['1.1 plimsoll'],
    });
    expect(headers['x-forwarded-for']).toEqual(['127.0.0.1']);
    expect(headers['connection']).toEqual(['keep-alive']);
    const gone = [
      'x-for-us',
      'keep-alive',
      'proxy-authorization',
      'proxy-connection',
      'proxy',
      'trailer',
      'upgrade',
      'expect',
    ];
    for (const name of gone) expect(headers, name).not.toHaveProperty(name);
  });

  it('say by us, and by nobody else, who asked for what', async () => {
    await get(
      await start(),
      'x-forwarded-for: 6.6.6.6',
      'X-Forwarded-Host: evil',
      'x-forwarded-proto: https',
      'x-forwarded-port: 1',
      'forwarded: for=6.6.6.6',
      'x-real-ip: 6.6.6.6',
      'X_Forwarded_For: 6.6.6.6',
      'x_plimsoll_customer: root',
      'api_key: k',
    );
    const headers = told();
    expect(headers).toMatchObject({
      'x-forwarded-for': ['127.0.0.1'],
      'x-forwarded-host': ['shop.test'],
      'x-forwarded-proto': ['http'],
      forwarded: ['for=127.0.0.1;host="shop.test";proto=http'],
      api_key: ['k'],
    });
    expect(backend.bytes).not.toMatch(/6\.6\.6\.6|evil|x-forwarded-port|x-real-ip|x_|root/i);
  });

  it('say nothing of our own wire that an untrusted client made up', async () => {
    await get(
      await start({ guard: { trust: 'none' } }),
      'x-request-criticality: CRITICAL_PLUS',
      'x-plimsoll-customer: root',
      'x-envoy-attempt-count: 7',
      'x-envoy-expected-rq-timeout-ms: 1',
      'baggage: criticality=CRITICAL_PLUS,other=1',
    );
    const headers = told();
    expect(headers['x-request-criticality']).toEqual(['CRITICAL']);
    expect(headers['x-envoy-attempt-count']).toEqual(['1']);
    expect(headers['x-plimsoll-customer']).toEqual(['anonymous']);
    expect(headers).not.toHaveProperty('x-envoy-expected-rq-timeout-ms');
    expect(headers['baggage']).toEqual(['other=1,criticality=CRITICAL']);
  });

  it.each([
    ['backend', (): string => `127.0.0.1:${backend.port}`],
    ['request', (): string => 'shop.test'],
    ['other.test', (): string => 'other.test'],
  ] as const)('call the backend as it is said: %s', async (host, expected) => {
    await get(await start({ target: { host } }));
    expect(told()['host']).toEqual([expected()]);
    expect(backend.bytes).toMatch(/^GET \/a\?b=c HTTP\/1\.1\r\n/);
  });

  it('are changed as the operator says, and nobody takes that away', async () => {
    const requestHeaders = new HeaderEdits('requestHeaders', {
      set: { 'X-Tier': 'gold' },
      remove: ['Cookie'],
    });
    const target = { requestHeaders, path: '/rewritten', clientAddress: '::1', protocol: 'https' } as const;
    await get(await start({ target }), 'x-tier: lead', 'cookie: a=b', 'connection: x-tier');
    const headers = told();
    expect(headers['x-tier']).toEqual(['gold']);
    expect(headers).not.toHaveProperty('cookie');
    expect(headers['forwarded']).toEqual(['for="[::1]";host="shop.test";proto=https']);
    expect(backend.bytes).toMatch(/^GET \/rewritten HTTP\/1\.1\r\n/);
  });

  it('may name the host in the target, if it is the same', async () => {
    await exchange(await start(), 'GET http://SHOP.test?x HTTP/1.1\r\nhost: shop.test\r\n\r\n', (text) =>
      text.endsWith('ok'),
    );
    expect(backend.bytes).toMatch(/^GET \/\?x HTTP\/1\.1\r\n/);
  });

  it('pass bytes beyond ASCII as they came', async () => {
    await get(await start(), 'x-name: caf\xe9');
    expect(told()['x-name']).toEqual(['caf\xe9']);
  });

  it('that are too many are refused, since Node leaves some out', async () => {
    const many = Array.from({ length: 250 }, (_, n) => `x-${n}: 1`);
    const text = await exchange(
      await start(),
      `POST / HTTP/1.1\r\nhost: x\r\n${many.join('\r\n')}\r\ncontent-length: 5\r\n\r\nhello`,
      (all) => all.endsWith('}'),
    );
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    expect(backend.bytes).toBe('');
  });

  it('that have passed us too often go no further', async () => {
    const passes = Array.from({ length: 8 }, () => 'via: 1.1 plimsoll');
    const text = await exchange(
      await start(),
      `GET / HTTP/1.1\r\nhost: x\r\n${passes.join('\r\n')}\r\n\r\n`,
      (all) => all.endsWith('}'),
    );
    expect(text).toMatch(/^HTTP\/1\.1 508 /);
  });
});

describe('what is not sent on', () => {
  const ask = async (line: string) =>
    exchange(await start(), `${line}\r\nhost: x\r\n\r\n`, (text) => /\r\n\r\n(?:\{.*\})?$/.test(text));

  it('is OPTIONS *, which is about us', async () => {
    const text = await ask('OPTIONS * HTTP/1.1');
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).not.toMatch(/connection: close/i);
    expect(backend.bytes).toBe('');
  });

  it('is TRACE, which would show what we add', async () => {
    expect(await ask('TRACE / HTTP/1.1')).toMatch(/^HTTP\/1\.1 405 [\s\S]*problem\+json[\s\S]*"status":405/);
    expect(backend.bytes).toBe('');
  });

  it('is CONNECT', async () => {
    expect(await ask('CONNECT x:80 HTTP/1.1')).toBe('');
    expect(backend.bytes).toBe('');
  });
});

describe('headers of an answer', () => {
  const from = (lines: string[], body = 'ok') =>
    `HTTP/1.1 200 Fine\r\n${lines.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

  it('are those of the backend, without what was for us alone', async () => {
    answer = from([
      'date: Thu, 01 Jan 1970 00:00:00 GMT',
      'Set-Cookie: a=1',
      'set-cookie: b=2',
      'connection: keep-alive, X-Hop',
      'x-hop: 1',
      'keep-alive: timeout=99',
      'proxy-authenticate: Basic',
      'upgrade: h2c',
      'trailer: x',
      'endpoint-load-metrics: TEXT eps=99',
      'x-envoy-overloaded: true',
      'grpc-retry-pushback-ms: 7',
      'x-plimsoll-secret: 1',
      'retry-after: 3',
      'ratelimit: "d";r=1',
      'x-envoy-ratelimited: true',
      'x-name: caf\xe9',
    ]);
    const text = await get(await start({ guard: { trust: 'none' } }));
    expect(text).toContain('HTTP/1.1 200 OK\r\n');
    for (const line of [
      'Set-Cookie: a=1',
      'set-cookie: b=2',
      'retry-after: 3',
      'ratelimit: "d";r=1',
      'x-envoy-ratelimited: true',
      'x-name: caf\xe9',
    ])
      expect(text).toContain(`\r\n${line}\r\n`);
    expect(text.match(/^date:/gim)).toHaveLength(1);
    expect(text.match(/^content-length:/gim)).toHaveLength(1);
    expect(text).toMatch(/^Keep-Alive: timeout=75/im);
    expect(text).not.toMatch(
      /x-hop|timeout=99|proxy-|upgrade|trailer|load-metrics|overloaded|pushback|secret/i,
    );
  });

  it('are changed as the operator says', async () => {
    answer = from(['server: secret/1.0', 'x-frame-options: ALLOW']);
    const answerHeaders = new HeaderEdits('answerHeaders', {
      set: { 'x-frame-options': 'DENY' },
      remove: ['server'],
    });
    const text = await get(await start({ target: { answerHeaders } }));
    expect(text).toContain('\r\nx-frame-options: DENY\r\n');
    expect(text).not.toMatch(/secret|ALLOW/);
  });

  it('get a date when the backend has none', async () => {
    expect(await get(await start())).toMatch(/^date: \w{3}, /im);
  });

  it('give way to ours of the same name', async () => {
    answer = from(['RateLimit: "theirs"', 'x-kept: 1']);
    const text = await get(await start({ headers: ['ratelimit', '"ours"'] }));
    expect(text).toContain('\r\nratelimit: "ours"\r\n');
    expect(text).toContain('\r\nx-kept: 1\r\n');
    expect(text).not.toContain('theirs');
  });

  it('are the same when somebody listens to answers, as copies are made by', async () => {
    answer = from(['date: Thu, 01 Jan 1970 00:00:00 GMT', 'x-kept: 1', 'connection: x-hop', 'x-hop: 1']);
    const text = await get(await start({ guard: { stale: {} }, headers: ['ratelimit', '"ours"'] }));
    expect(text.match(/^(?:date|content-length|x-kept|ratelimit):/gim)).toHaveLength(4);
    expect(text).not.toContain('x-hop');
    expect(text).toMatch(/\r\n\r\nok$/);
  });
});
