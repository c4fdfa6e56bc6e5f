import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../stores/memory/memory-store.js';
import type { RateStore } from '../stores/rate-store.js';
import { VirtualClock } from '../testing/index.js';
import { createRateLimits, type RateLimitsOptions } from './rate-limits.js';
import type { RequestView } from './rules/request-view.js';
import type { RuleOptions } from './rules/rule-options.js';

const perIp: RuleOptions = { name: 'ip', key: 'ip', algorithm: 'fixed-window', rate: '3/minute' };
const posts: RuleOptions = {
  name: 'posts',
  match: { method: 'POST', path: '/posts' },
  key: 'api-key',
  algorithm: 'sliding-log',
  rate: '1/3h',
};

function limits(options: Partial<RateLimitsOptions> & { rules: readonly RuleOptions[] }) {
  const clock = new VirtualClock();
  const made = createRateLimits({ store: memoryStore({ environment: clock }), ...options });
  return { clock, limits: made };
}

function post(key = 'k', address = '1.1.1.1'): RequestView {
  return {
    method: 'POST',
    url: '/posts',
    address,
    header: (name) => (name === 'x-api-key' ? key : undefined),
  };
}
const get: RequestView = { ...post(), method: 'GET' };

describe('RateLimits', () => {
  it('asks only the rules that match', async () => {
    const { limits: both } = limits({ rules: [perIp, posts] });
    expect((await both.decide(get)).rulings.map(({ rule }) => rule.name)).toEqual(['ip']);
    expect((await both.decide(post())).rulings.map(({ rule }) => rule.name)).toEqual(['ip', 'posts']);
    const { limits: one } = limits({ rules: [posts] });
    expect(await one.decide(get)).toEqual({ allowed: true, headers: [], answer: undefined, rulings: [] });
  });

  it('takes from all rules or from none', async () => {
    const { limits: both } = limits({ rules: [perIp, posts] });
    expect((await both.decide(post())).allowed).toBe(true);
    for (let i = 0; i < 10; i++) {
      const { allowed, answer, rulings } = await both.decide(post());
      expect(allowed).toBe(false);
      expect(JSON.parse(answer!.body)['violated-policies']).toEqual(['posts']);
      expect(rulings[0]!.decision.remaining).toBe(2);
    }
    expect([(await both.decide(get)).allowed, (await both.decide(get)).allowed]).toEqual([true, true]);
    expect((await both.decide(get)).allowed).toBe(false);
    expect(both.snapshot()).toEqual({
      ip: { allowed: 13, refused: 1, undecided: 0 },
      posts: { allowed: 1, refused: 10, undecided: 0 },
    });
  });

  it('counts in shadow without refusing or telling', async () => {
    const { limits: shadow } = limits({ rules: [perIp, { ...posts, onLimit: 'shadow' }] });
    await shadow.decide(post());
    const { allowed, headers, rulings } = await shadow.decide(post());
    expect([allowed, rulings.length]).toEqual([true, 1]);
    expect(headers.join()).not.toContain('posts');
    expect(shadow.snapshot()['posts']).toEqual({ allowed: 1, refused: 1, undecided: 0 });
  });

  it('lets each rule choose what holds when the store fails', async () => {
    const store = { take: () => Promise.reject(new Error('gone')) } as unknown as RateStore;
    const { limits: failing } = limits({ store, rules: [perIp, { ...posts, onStoreFailure: 'refuse' }] });
    expect((await failing.decide(get)).allowed).toBe(true);
    const { allowed, answer } = await failing.decide(post());
    expect(allowed).toBe(false);
    expect(answer!.headers[answer!.headers.indexOf('Retry-After') + 1]).toBe('1');
    expect(failing.snapshot()['posts']).toEqual({ allowed: 0, refused: 1, undecided: 1 });
    await failing.close();
  });

  it('tells of errors in functions of rules', async () => {
    const onError = vi.fn();
    const key = () => {
      throw new Error('no key');
    };
    const { limits: wrong } = limits({ rules: [{ ...perIp, key }], onError });
    await expect(wrong.decide(get)).rejects.toThrow('no key');
    expect(await wrong.judge(get)).toBe(undefined);
    expect(onError).toHaveBeenCalledOnce();
  });

  it('reads addresses and API keys where it is told to', async () => {
    const rules: RuleOptions[] = [{ ...perIp, rate: '1/h', key: ['ip', 'api-key'] }];
    const { limits: told } = limits({ rules, trustedProxies: 1, ipv6Prefix: 48, apiKeyHeader: 'X-Key' });
    const from = (address: string, key: string): RequestView => ({
      ...get,
      header: (name) => ({ 'x-forwarded-for': address, 'x-key': key })[name],
    });
    expect((await told.decide(from('2001:db8:1:1::1', 'a'))).allowed).toBe(true);
    expect((await told.decide(from('2001:db8:1:2::1', 'a'))).allowed).toBe(false);
    expect((await told.decide(from('2001:db8:1:2::1', 'b'))).allowed).toBe(true);
    expect((await told.decide(from('2001:db8:2:2::1', 'a'))).allowed).toBe(true);
  });

  it('forgets a key of a rule when told to', async () => {
    const { limits: both } = limits({ rules: [perIp, posts] });
    await both.decide(post());
    await both.reset('posts', 'k');
    expect((await both.decide(post())).allowed).toBe(true);
    await expect(both.reset('post', 'k')).rejects.toThrow('name must be one of ip, posts, got "post"');
  });

  it.each([
    [{ rules: [] }, 'rules must be a list of at least one rule'],
    [{ rules: [perIp, perIp] }, 'names of rules must be distinct, got "ip" twice'],
    [{ rules: [{ ...perIp, key: 'user' }] }, 'rule ip: key must be one of'],
    [{ rules: [perIp], timeoutMs: -1 }, 'timeoutMs must be a finite number > 0, got -1'],
    [{ rules: [perIp], trustedProxies: 99 }, 'trustedProxies must be an integer from 0 to 16, got 99'],
    [{ rules: [perIp], apiKeyHeader: '' }, 'apiKeyHeader must be the name of a header'],
    [{ rule: [perIp] }, 'rateLimits has no option "rule"'],
  ])('refuses %j', (options, message) => {
    expect(() => createRateLimits(options as never)).toThrow(message);
  });
});
