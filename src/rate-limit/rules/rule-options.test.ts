import { describe, expect, it } from 'vitest';
import { type RequestContext, runInRequest } from '../../context/index.js';
import { ClientAddress } from './client-address.js';
import type { RequestView } from './request-view.js';
import { compileRule, type RuleOptions } from './rule-options.js';

const sources = { address: new ClientAddress(), apiKeyHeader: 'x-api-key' };

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
  it('is for all requests when nothing is said', () => {
    const { matches, isShadow, onStoreFailure, costOf } = rule({});
    expect(matches(request())).toBe(true);
    expect([isShadow, onStoreFailure, costOf(request())]).toEqual([false, 'allow', 1]);
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
    ['ip', '1.2.3.4'],
    ['all', 'all'],
    ['method', 'GET'],
    ['api-key', 'secret|1'],
    ['header:X-Device', 'phone'],
    ['header:x-missing', '-'],
    ['route', '/a/:b'],
    [['ip', 'route'], '1.2.3.4|/a/:b'],
    [['api-key', 'ip'], 'secret%7C1|1.2.3.4'],
    ['customer', '-'],
    [({ url }: RequestView) => url.slice(3), 'c'],
    [() => undefined, '-'],
  ])('counts by %j: %s', (key, expected) => {
    const asked = request({ url: '/a/c' }, { 'x-api-key': 'secret|1', 'x-device': 'phone' });
    expect(rule({ key, match: { path: '/a/:b' } }).keyOf(asked)).toBe(expected);
  });

  it('counts by the customer of a guarded request', () => {
    const { keyOf } = rule({ key: 'customer' });
    const context = { customer: 'acme' } as RequestContext;
    expect(runInRequest(context, () => keyOf(request()), undefined, undefined)).toBe('acme');
    expect(keyOf(request())).toBe('-');
  });

  it('keeps long keys short, and apart', () => {
    const { keyOf } = rule({ key: 'api-key' });
    const [one, other] = ['a', 'b'].map((end) =>
      keyOf(request({}, { 'x-api-key': 'x'.repeat(8_000) + end })),
    );
    expect(one!.length).toBeLessThan(50);
    expect(one).not.toBe(other);
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
    [{ key: 'jwt:sub' }, 'rule r: key must not be jwt:sub: verify the token'],
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
