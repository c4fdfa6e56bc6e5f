import { SignJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../stores/memory/memory-store.js';
import type { RateStore } from '../stores/rate-store.js';
import { VirtualClock } from '../testing/index.js';
import type { OverflowingRequest, OverflowQueue } from './queueing/index.js';
import { createRateLimits } from './rate-limits.js';
import type { RateLimitsOptions } from './rate-limits-options.js';
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

function failingStore(): RateStore {
  const fail = () => Promise.reject(new Error('gone'));
  return { take: fail, peek: fail, settle: fail, schedule: fail, reset: fail, close: fail };
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

  it('lets a rule that was decided refuse, whatever becomes of the others', async () => {
    const decision = { allowed: true, limit: 3, remaining: 2, resetMs: 0, retryAfterMs: 0 };
    const settled: unknown[] = [];
    const partly = (said: Partial<typeof decision>) => ({
      ...failingStore(),
      take: async () => ({
        allowed: said.allowed !== false,
        decisions: [{ ...decision, ...said }, decision],
        takenAtMs: 5,
        undecided: [1],
      }),
      settle: async (settlements: readonly unknown[]) => void settled.push(...settlements),
    });
    const strict = { ...posts, onStoreFailure: 'refuse' } as const;
    const passing = createRateLimits({ rules: [perIp, posts], store: partly({}) });
    expect((await passing.decide(post())).allowed).toBe(true);
    expect(passing.snapshot()).toMatchObject({
      ip: { allowed: 1, undecided: 0 },
      posts: { allowed: 1, undecided: 1 },
    });
    const refusing = createRateLimits({ rules: [perIp, posts], store: partly({ allowed: false }) });
    expect((await refusing.decide(post())).allowed).toBe(false);
    expect(settled).toEqual([]);
    // What the one took is given back when the other refuses without the store.
    const mixed = createRateLimits({ rules: [perIp, strict], store: partly({}) });
    expect((await mixed.decide(post())).allowed).toBe(false);
    expect(settled).toEqual([expect.objectContaining({ reserved: 1, actual: 0, takenAtMs: 5 })]);
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
    expect(both.snapshot()).toMatchObject({
      ip: { allowed: 13, refused: 1, queued: 0, undecided: 0 },
      posts: { allowed: 1, refused: 10, queued: 0, undecided: 0 },
    });
  });

  it('knows whom it has decided on most, and what the next one would be told', async () => {
    const { limits: both } = limits({ rules: [perIp] });
    const from = (address: string) => both.decide({ ...get, address });
    for (let i = 0; i < 6; i++) await from('2.2.2.2');
    await from('3.3.3.3');
    const [most, least] = both.snapshot()['ip']!.busiest;
    expect(most).toMatchObject({ key: '2.2.2.2', hits: 6 });
    expect(least).toEqual({ key: '3.3.3.3', hits: 1, refused: 0 });
    expect((await both.peek('ip', '2.2.2.2')).remaining).toBeLessThan(
      (await both.peek('ip', '4.4.4.4')).remaining,
    );
    await expect(both.peek('none', 'a')).rejects.toThrow('name must be one of');
  });

  it('counts in shadow without refusing or telling', async () => {
    const { limits: shadow } = limits({ rules: [perIp, { ...posts, onLimit: 'shadow' }] });
    await shadow.decide(post());
    const { allowed, headers, rulings } = await shadow.decide(post());
    expect([allowed, rulings.length]).toEqual([true, 1]);
    expect(headers.join()).not.toContain('posts');
    expect(shadow.snapshot()['posts']).toMatchObject({ allowed: 1, refused: 1, queued: 0, undecided: 0 });
  });

  it('lets each rule choose what holds when the store fails', async () => {
    const store = failingStore();
    const { limits: failing } = limits({ store, rules: [perIp, { ...posts, onStoreFailure: 'refuse' }] });
    expect((await failing.decide(get)).allowed).toBe(true);
    const { allowed, answer } = await failing.decide(post());
    expect(allowed).toBe(false);
    expect(answer!.headers[answer!.headers.indexOf('Retry-After') + 1]).toBe('1');
    expect(failing.snapshot()['posts']).toMatchObject({ allowed: 0, refused: 1, queued: 0, undecided: 1 });
    await failing.close();
  });

  it('decides by shares of the limits while the store fails', async () => {
    const store = { ...failingStore(), reset: async () => {} };
    const rules = [
      { ...perIp, rate: '10/minute', localShare: 0.3 },
      { ...posts, rate: '10/3h', localShare: 0.1, onStoreFailure: 'refuse' as const },
    ];
    const { limits: local } = limits({ store, rules });
    expect((await local.decide(post())).allowed).toBe(true);
    const { allowed, rulings } = await local.decide(post());
    expect([allowed, rulings.map(({ decision }) => decision.remaining)]).toEqual([false, [2, 0]]);
    expect([(await local.decide(get)).allowed, (await local.decide(get)).allowed]).toEqual([true, true]);
    expect((await local.decide(get)).allowed).toBe(false);
    await local.reset('ip', '1.1.1.1');
    expect((await local.decide(get)).allowed).toBe(true);
    expect(local.snapshot()['ip']).toMatchObject({ allowed: 5, refused: 1, queued: 0, undecided: 6 });
    await local.close();
  });

  it('hides from the queue what carries secrets, and counts what others gave back as nothing', async () => {
    const store = Object.assign(memoryStore({ environment: new VirtualClock() }), { isShared: true });
    const kept: OverflowingRequest[] = [];
    const statuses = [202, 503];
    const queue = {
      maxBodyBytes: 10,
      paceBy: () => {},
      answerStatus: async () => undefined,
      accept: async (request: OverflowingRequest) => {
        kept.push(request);
        return { status: statuses.shift()!, headers: [], body: '' };
      },
    } as unknown as OverflowQueue;
    const turns: RuleOptions = {
      name: 'turns',
      key: 'api-key',
      algorithm: 'leaking-bucket',
      rate: '1/h',
      burst: 2,
      onLimit: 'queue',
    };
    const shadow: RuleOptions = { ...perIp, name: 'shadow', rate: '1/h', onLimit: 'shadow' };
    const { limits: queueing } = limits({
      store,
      queue,
      apiKeyHeader: 'X-My-Key',
      jwt: { secret: 'x'.repeat(32), header: 'X-Token' },
      secretHeaders: ['X-Pass'],
      rules: [{ ...perIp, rate: '100/minute' }, shadow, turns],
    });
    const incoming = { readableEnded: true, headers: {}, rawHeaders: ['X-My-Key', 'k'] } as never;
    for (let i = 0; i < 5; i++) await queueing.decide({ ...post(), incoming });
    expect(kept.map(({ secretHeaders }) => secretHeaders)).toEqual(
      Array(2).fill(['x-my-key', 'x-token', 'x-pass']),
    );
    // One is served, one queued, one lost by the queue; two find no room.
    expect(queueing.snapshot()).toMatchObject({
      ip: { allowed: 3, refused: 0, queued: 0, undecided: 0 },
      shadow: { allowed: 1, refused: 4, queued: 0, undecided: 0 },
      turns: { allowed: 1, refused: 3, queued: 1, undecided: 0 },
    });
  });

  it('asks the store at once when all keys are there', async () => {
    const asked = vi.fn();
    const store = memoryStore({ environment: new VirtualClock() });
    const take = store.takeNow.bind(store);
    const takeOne = store.takeOneNow.bind(store);
    store.takeNow = (requests) => {
      asked();
      return take(requests);
    };
    store.takeOneNow = (rule, key, cost) => {
      asked();
      return takeOne(rule, key, cost);
    };
    const { limits: both } = limits({ store, rules: [perIp, { ...posts, key: async () => 'k' }] });
    const first = both.decide(get);
    expect(asked).toHaveBeenCalledOnce();
    const second = both.decide(post());
    expect(asked).toHaveBeenCalledOnce();
    await Promise.all([first, second]);
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it('decides at once where nothing has to be waited for', async () => {
    const { limits: one } = limits({ rules: [posts] });
    expect(one.decideNow(get)).toMatchObject({ allowed: true, rulings: [] });
    expect([one.decideNow(post()), one.decideNow(post())]).toMatchObject([
      { allowed: true },
      { allowed: false },
    ]);
    expect(one.snapshot()['posts']).toMatchObject({ allowed: 1, refused: 1 });
    const { limits: slow } = limits({ rules: [{ ...posts, key: async () => 'k' }] });
    expect(await slow.decideNow(post())).toMatchObject({ allowed: true });
    const decisions = [{ allowed: true, limit: 1, remaining: 0, resetMs: 0, retryAfterMs: 0 }];
    const takeNow = vi.fn(() => ({ allowed: true, decisions, takenAtMs: 5, undecided: [0] }));
    const rules = [{ ...posts, onStoreFailure: 'refuse' as const }];
    const { limits: undecided } = limits({ store: { ...failingStore(), takeNow }, rules });
    expect(await undecided.decideNow(post())).toMatchObject({ allowed: false });
    expect(takeNow).toHaveBeenCalledOnce();
    takeNow.mockImplementation(() => {
      throw new Error('gone');
    });
    expect(await undecided.decideNow(post())).toMatchObject({ allowed: false });
    expect(undecided.snapshot()['posts']).toMatchObject({ undecided: 2 });
  });

  it('decides one rule without a list as it does with one', async () => {
    const shadow: RuleOptions = { ...posts, onLimit: 'shadow' };
    for (const rule of [posts, shadow]) {
      const clock = { environment: new VirtualClock() };
      const alone = limits({ store: memoryStore(clock), rules: [rule] }).limits;
      const listed = memoryStore(clock);
      const inList = limits({
        store: Object.assign(listed, { takeOneNow: undefined }),
        rules: [rule],
      }).limits;
      for (let i = 0; i < 3; i++) expect(alone.decideNow(post())).toEqual(inList.decideNow(post()));
      expect(alone.snapshot()).toEqual(inList.snapshot());
    }
  });

  it('takes a store that fails at once for one that fails, and an impossible cost for a mistake', async () => {
    const takeOneNow = vi.fn((): never => {
      throw new Error('gone');
    });
    const rules = [{ ...posts, onStoreFailure: 'refuse' as const }];
    const { limits: failing } = limits({ store: { ...failingStore(), takeOneNow }, rules });
    expect(await failing.decideNow(post())).toMatchObject({ allowed: false });
    expect(failing.snapshot()['posts']).toMatchObject({ undecided: 1 });
    takeOneNow.mockImplementation(() => {
      throw new RangeError('cost');
    });
    expect(() => failing.decideNow(post())).toThrow('cost');
  });

  it('counts by claims of verified tokens alone', async () => {
    const secret = 'x'.repeat(32);
    const rules: RuleOptions[] = [{ ...perIp, rate: '1/h', key: ['jwt:sub', 'method'] }];
    const { limits: claims } = limits({ rules, jwt: { secret, header: 'x-token' } });
    const key = Buffer.from(secret);
    const sign = (sub: string, by = key) =>
      new SignJWT({ sub }).setProtectedHeader({ alg: 'HS256' }).sign(by);
    const decide = async (token: string) => (await claims.decide({ ...get, header: () => token })).allowed;
    expect(await decide(await sign('ann'))).toBe(true);
    expect(await decide(`Bearer ${await sign('ann')}`)).toBe(false);
    expect(await decide(await sign('bob'))).toBe(true);
    expect(await decide('none')).toBe(true);
    expect(await decide(await sign('cat', Buffer.from('y'.repeat(32))))).toBe(false);
    const token = await sign('ann');
    expect(await claims.keyOf('ip', { header: () => token })).toBe('ann|GET');
    await claims.reset('ip', 'ann|GET');
    expect(await decide(token)).toBe(true);
    await claims.close();
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

  it('keeps nothing in the clear of headers that it is told are secret, whoever counts', async () => {
    const keyed = (name: string) => ({ ...perIp, key: `header:${name}` }) as RuleOptions;
    const header = () => 's3cret';
    for (const name of ['X-Ticket', 'x-ticket', 'X_Ticket', 'X-Auth-Token', 'X-My-Id']) {
      const keys = [];
      for (let process = 0; process < 2; process++) {
        const { limits: told } = limits({
          rules: [keyed(name)],
          apiKeyHeader: 'X-My-Id',
          secretHeaders: ['X-Ticket'],
        });
        keys.push(await told.keyOf('ip', { header }));
      }
      expect(keys, name).toEqual(Array(2).fill(expect.stringMatching(/^[\w-]{22}$/)));
      expect(keys[0]).toBe(keys[1]);
    }
    const jwt = { secret: 'x'.repeat(32), header: 'X-Ticket' };
    const { limits: verifying } = limits({ rules: [keyed('x-ticket')], jwt });
    expect(await verifying.keyOf('ip', { header })).toMatch(/^[\w-]{22}$/);
  });

  it('forgets a key of a rule when told to', async () => {
    const { limits: both } = limits({ rules: [perIp, posts] });
    await both.decide(post());
    await both.reset('posts', await both.keyOf('posts', { header: () => 'k' }));
    expect((await both.decide(post())).allowed).toBe(true);
    await expect(both.reset('post', 'k')).rejects.toThrow('name must be one of ip, posts, got "post"');
  });

  it.each([
    [{ rules: [] }, 'rules must be a list of at least one rule'],
    [{ rules: [perIp, perIp] }, 'names of rules must be distinct, got "ip" twice'],
    [{ rules: [{ ...perIp, key: 'user' }] }, 'rule ip: key must be one of'],
    [{ rules: [{ ...perIp, key: 'jwt:sub' }] }, 'rule ip: key must not be jwt:sub without the option jwt'],
    [{ rules: [perIp], jwt: {} }, 'one of jwt.secret, jwt.publicKey and jwt.jwksUrl must be given'],
    [{ rules: [perIp], timeoutMs: -1 }, 'timeoutMs must be a finite number > 0, got -1'],
    [{ rules: [perIp], trustedProxies: 99 }, 'trustedProxies must be an integer from 0 to 16, got 99'],
    [{ rules: [perIp], apiKeyHeader: '' }, 'apiKeyHeader must be the name of a header'],
    [{ rules: [perIp], secretHeaders: ['a b'] }, 'secretHeaders must be the name of a header, got "a b"'],
    [
      { rules: [perIp], secretHeaders: 'x-a' },
      'secretHeaders must be a list of names of headers, got string',
    ],
    [
      { rules: [perIp], store: Promise.resolve() },
      'store must be a store, got a promise: await redisStore(…)',
    ],
    [
      { rules: [perIp], store: {} },
      'store must be a store, got something without take, peek, settle, schedule, reset, close',
    ],
    [{ rules: [perIp], store: null }, 'store must be a store, got something without take'],
    [
      { rules: [perIp], queue: Promise.resolve() },
      'queue must be a queue, got a promise: await createOverflowQueue(…)',
    ],
    [{ rules: [perIp], queue: { accept: () => {} } }, 'got something without answerStatus, paceBy'],
    [{ rules: [perIp], onError: 5 }, 'onError must be a function, got number'],
    [{ rules: [perIp], legacyHeaders: 'no' }, 'legacyHeaders must be a boolean, got string'],
    [{ rule: [perIp] }, 'rateLimits has no option "rule"'],
  ])('refuses %j', (options, message) => {
    expect(() => createRateLimits(options as never)).toThrow(message);
  });
});
