import { describe, expect, it } from 'vitest';
import { parseRatelimitServiceArgs } from './ratelimit-service-args.js';

const parse = (args: string[], environment: Record<string, string> = {}) =>
  parseRatelimitServiceArgs(args, environment)!;

describe('parseRatelimitServiceArgs', () => {
  it('leaves out what is not said', () => {
    expect(parse(['rules.yaml'])).toMatchObject({
      paths: ['rules.yaml'],
      action: 'run',
      grpcPort: undefined,
      httpPort: undefined,
      debugPort: undefined,
      redis: undefined,
      shadow: false,
      responseHeaders: undefined,
      tls: undefined,
    });
    expect(parseRatelimitServiceArgs(['--help'], {})).toBeUndefined();
  });

  it('takes what the environment of Envoy’s service says', () => {
    const environment = {
      RUNTIME_ROOT: '/data',
      RUNTIME_SUBDIRECTORY: 'ratelimit',
      GRPC_PORT: '9081',
      PORT: '9080',
      DEBUG_PORT: '9070',
      REDIS_URL: 'redis.internal:6379',
      CACHE_KEY_PREFIX: 'mine:',
      SHADOW_MODE: 'true',
      NEAR_LIMIT_RATIO: '0.5',
      LIMIT_RESPONSE_HEADERS_ENABLED: 'true',
      LIMIT_LIMIT_HEADER: 'X-Limit',
    };
    expect(parse([], environment)).toMatchObject({
      paths: ['/data/ratelimit/config'],
      grpcPort: 9_081,
      httpPort: 9_080,
      debugPort: 9_070,
      redis: 'redis://redis.internal:6379',
      redisPrefix: 'mine:',
      shadow: true,
      nearLimitRatio: 0.5,
      responseHeaders: { limit: 'X-Limit', remaining: 'RateLimit-Remaining', reset: 'RateLimit-Reset' },
    });
    expect(parse(['r', '--grpc-port', '1', '--http-port', 'none'], environment)).toMatchObject({
      paths: ['r'],
      grpcPort: 1,
      httpPort: false,
    });
  });

  it.each([
    [[], 'needs a file or a folder'],
    [['r', '--grpc-port', 'x'], '--grpc-port must be a number, got "x"'],
    [['r', '--on-store-failure', 'panic'], 'must be allow, refuse or error, got "panic"'],
    [['r', '--tls-cert', 'c'], 'TLS needs --tls-cert and --tls-key'],
  ])('refuses %j', (args, words) => {
    expect(() => parse(args)).toThrow(words);
  });
});
