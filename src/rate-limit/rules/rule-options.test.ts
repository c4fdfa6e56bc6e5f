import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type RequestContext, runInRequest } from '../../context/index.js';
import { ClientAddress } from './client-address.js';
import { type RequestView, viewOf } from './request-view.js';
import { compileRule, type RuleOptions } from './rule-options.js';

const sources = {
  address: new ClientAddress(),
  apiKeyHeader: 'x-api-key',
  secretHeaders: ['x-api-key', 'x-pass'],
  jwt: undefined,
  canQueue: false,
};

const digest = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');

function rule(options: Partial<RuleOptions> | object) {
  return compileRule(
    { name: 'r', algorithm: 'gcra', rate: '5/s', key: 'ip', ...options } as RuleOptions,
    sources,
  );
}

function request(parts: Partial<RequestView> = {}, headers: Record<string, string> = {}): RequestView {
  return { method: 'GET', url: '/', address: '1.2.3.4', header: (name) => headers[name], ...parts };
}

describe('compileRule', () => {
  it('queues by the leaking bucket where there is a queue', () => {
    const options = { name: 'r', rate: '5/s', key: 'ip', onLimit: 'queue' } as const;
    const queueing = (algorithm: RuleOptions['algorithm']) =>
      compileRule({ ...options, algorithm }, { ...sources, canQueue: true });
    expect(queueing('leaking-bucket').isQueued).toBe(true);
    expect(() => queueing('gcra')).toThrow(
      'rule r: algorithm must be leaking-bucket with onLimit queue, got gcra',
    );
  });

  it('is for all requests when nothing is said', () => {
    const { matches, isShadow, fallback, costOf } = rule({});
    expect(matches(request())).toBe(true);
    expect([isShadow, fallback, costOf(request())]).toEqual([
      false,
      { choice: 'allow', local: undefined },
      1,
    ]);
  });

  it.each([
    [{ method: 'post' }, { method: 'POST' }, true],
    [{ method: 'POST' }, { method: 'GET' }, false],
    [{ method: ['POST', 'PUT'] }, { method: 'PUT' }, true],
    [{ method: 'GET' }, { method: 'HEAD' }, true],
    [{ path: '/a/:b' }, { url: '/a/c?d' }, true],
    [{ path: '/a/:b', method: 'POST' }, { url: '/a/c' }, false],
    [{ host: 'api.example.com' }, {}, true],
    [{ host: 'example.com' }, {}, false],
    [{ header: 'Host' }, {}, true],
    [{ header: 'authorization' }, {}, false],
  ])('matches by %j a request of %j: %s', (match, parts, expected) => {
    expect(rule({ match }).matches(request(parts, { host: 'API.example.com.:8080' }))).toBe(expected);
  });

  it.each([
    [{ ':authority': 'api.example.com:443' }, '/', true],
    [{ ':authority': 'API.example.com.', host: 'other' }, '/', true],
    [{ ':authority': 'other', host: 'api.example.com' }, '/', true],
    [{ host: 'other' }, 'http://me@api.example.com:80/', true],
    [{ host: 'other' }, '/http://api.example.com/', false],
    [{ ':authority': 'example.com' }, '/', false],
    [{}, '/', false],
  ])('knows the host of a request with %j for %s: %s', (headers, url, expected) => {
    const req = { method: 'GET', url, headers, socket: {} } as unknown as IncomingMessage;
    expect(rule({ match: { host: 'api.example.com' } }).matches(viewOf(req))).toBe(expected);
  });

  it('counts by the host of HTTP/2 as by any other', () => {
    const req = { headers: { ':authority': 'a.example' }, socket: {} } as unknown as IncomingMessage;
    expect(rule({ key: 'header:host' }).keyOf(viewOf(req))).toBe('a.example');
    expect(rule({ match: { header: 'host' } }).matches(viewOf(req))).toBe(true);
  });

  it.each([
    ['ip', '1.2.3.4'],
    ['all', 'all'],
    ['method', 'GET'],
    ['api-key', digest('secret|1')],
    ['header:X-Api-Key', digest('secret|1')],
    ['header:Authorization', digest('Bearer x')],
    ['header:X-Auth-Token', digest('t')],
    ['header:x_session', digest('s')],
    ['header:X-Pass', digest('p')],
    ['header:x_pass', digest('q')],
    [['header:x-auth-token', 'ip'], `${digest('t')}|1.2.3.4`],
    ['header:x-token', '-'],
    ['header:x-device|os', 'a|b'],
    [['header:x-device|os', 'ip'], 'a%7Cb|1.2.3.4'],
    [['header:x-escaped', 'ip'], 'a%257Cb|1.2.3.4'],
    ['header:x-escaped', 'a%7Cb'],
    ['header:X-Device', 'phone'],
    ['header:x-missing', '-'],
    ['route', '/a/:b'],
    [['ip', 'route'], '1.2.3.4|/a/:b'],
    [['api-key', 'ip'], `${digest('secret|1')}|1.2.3.4`],
    ['customer', '-'],
    [({ url }: RequestView) => url.slice(3), 'c'],
    [() => undefined, '-'],
  ])('counts by %j: %s', (key, expected) => {
    const headers = {
      'x-api-key': 'secret|1',
      'x-device': 'phone',
      authorization: 'Bearer x',
      'x-auth-token': 't',
      x_session: 's',
      'x-pass': 'p',
      x_pass: 'q',
      'x-device|os': 'a|b',
      'x-escaped': 'a%7Cb',
    };
    const asked = request({ url: '/a/c' }, headers);
    expect(rule({ key, match: { path: '/a/:b' } }).keyOf(asked)).toBe(expected);
  });

  it('counts by the customer of a guarded request', () => {
    const { keyOf } = rule({ key: 'customer' });
    const context = { customer: 'acme' } as RequestContext;
    expect(runInRequest(context, () => keyOf(request()), undefined, undefined)).toBe('acme');
    expect(keyOf(request())).toBe('-');
  });

  it('keeps long keys short, and apart', () => {
    const { keyOf } = rule({ key: 'header:x-id' });
    const keys = ['a', 'b'].map((end) => keyOf(request({}, { 'x-id': 'x'.repeat(8_000) + end })));
    expect(keys[0]).toBe(`#${digest(`${'x'.repeat(8_000)}a`)}`);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('does not count together those who send no API key and those whose key has that digest', () => {
    const { keyOf } = rule({ key: 'api-key' });
    expect(keyOf(request())).toBe('-');
    expect(keyOf(request({}, { 'x-api-key': '' }))).toBe('-');
    expect(keyOf(request({}, { 'x-api-key': '-' }))).toBe(digest('-'));
  });

  it('waits for functions that need time, and only for those', async () => {
    const later = async ({ url }: RequestView) => (url === '/none' ? undefined : `user|${url}`);
    expect(await rule({ key: later }).keyOf(request())).toBe('user|/');
    expect(await rule({ key: later }).keyOf(request({ url: '/none' }))).toBe('-');
    expect(await rule({ key: ['ip', later] }).keyOf(request())).toBe('1.2.3.4|user%7C/');
    expect(rule({ key: ['ip', 'method'] }).keyOf(request())).toBe('1.2.3.4|GET');
    const failing = () => Promise.reject(new Error('no database'));
    await expect(rule({ key: ['ip', failing] }).keyOf(request())).rejects.toThrow('no database');
  });

  it('leaves no rejection behind when another part fails first', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    const throwing = () => {
      throw new Error('at once');
    };
    const { keyOf } = rule({ key: [() => Promise.reject(new Error('later')), throwing] });
    expect(() => keyOf(request())).toThrow('at once');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('asks a function for the cost, and does not believe all of it', () => {
    const { costOf } = rule({ cost: ({ url }: RequestView) => url.length - 2 });
    expect(costOf(request({ url: '/abc' }))).toBe(2);
    expect(() => costOf(request({ url: '/' }))).toThrow('cost must be an integer >= 0, got -1');
  });

  it.each([
    [{ name: undefined }, 'name of a rule must be'],
    [{ name: 'a"b' }, 'name of a rule must be 1 to 64 of'],
    [{ key: undefined }, 'rule r: key must say whose'],
    [{ key: [] }, 'rule r: key must name at least one part'],
    [{ key: 'user' }, 'rule r: key must be one of all, ip, api-key'],
    [{ key: 'jwt:sub' }, 'rule r: key must not be jwt:sub without the option jwt'],
    [{ key: 'jwt:' }, 'rule r: key must be one of all'],
    [{ key: 5 }, 'rule r: key must be one of all'],
    [{ localShare: 0 }, 'rule r: localShare must be > 0 and <= 1, got 0'],
    [{ localShare: 1.5 }, 'rule r: localShare must be > 0 and <= 1, got 1.5'],
    [{ localShare: '1' }, 'rule r: localShare must be > 0 and <= 1, got 1'],
    [{ key: 'header:a b' }, 'rule r: key must be the name of a header, got "a b"'],
    [{ rate: '5' }, 'rule r: rate must be like'],
    [{ rate: undefined, limit: -1, windowMs: 5 }, 'rule r: limit must be an integer'],
    [{ algorithm: 'sliding-log', burst: 9 }, 'rule r: burst must be the limit with sliding-log, got 9'],
    [{ cost: -1 }, 'rule r: cost must be an integer >= 0, got -1'],
    [{ onLimit: 'drop' }, 'rule r: onLimit must be one of refuse, shadow, queue, got "drop"'],
    [{ onLimit: 'queue' }, 'rule r: onLimit must be refuse or shadow: queue needs Redis'],
    [{ onStoreFailure: 'x' }, 'rule r: onStoreFailure must be one of allow, refuse, got "x"'],
    [{ match: { path: 'a' } }, 'rule r: match.path must begin with /'],
    [{ match: { method: [] } }, 'rule r: match.method must be a method'],
    [{ match: { host: 'a:80' } }, 'rule r: match.host must be a host without a port'],
    [{ match: { header: '' } }, 'rule r: match.header must be the name of a header'],
    [{ match: { url: '/' } }, 'rule r: match has no option "url"'],
    [{ limits: 5 }, 'rule r: it has no option "limits"'],
  ])('refuses %j', (options, message) => {
    expect(() => rule(options)).toThrow(RangeError);
    expect(() => rule(options)).toThrow(message);
  });
});
