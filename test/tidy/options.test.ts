import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { gatewaySchema } from '../../src/gateway/index.js';
import { type DocTable, PublicTypes, tablesOf } from './option-tables.js';
import { fieldsOf } from './schema-fields.js';
import { root } from './sources.js';

/** Page, heading, the first cell of the table's head, and the options that stand in its first column: all, and no others. */
type Documented = readonly [page: string, section: string, head: string, ...types: string[]];

const DOCUMENTED: readonly Documented[] = [
  ['server', 'Options of `createGuard` and `serve`', 'option', 'server/GuardOptions'],
  ['server', 'Options of `createGuard` and `serve`', 'option of `serve`', 'server/ServeOptions'],
  ['server', 'Routes', '`routes`', 'server/GuardOptions.routes.[]'],
  ['server', 'The run queue', '`queue`', 'server/GuardOptions.queue'],
  ['server', 'Signals', '`signals`', 'server/GuardOptions.signals'],
  ['server', 'Signals', '`signals.memory`', 'server/GuardOptions.signals.memory'],
  ['server', 'Signals', '`signals.cpu`', 'server/GuardOptions.signals.cpu'],
  ['server', 'CPU time of requests', '`cpu`', 'server/GuardOptions.cpu'],
  ['server', 'Limits', '`limits`', 'server/GuardOptions.limits'],
  ['server', 'Life and death', '`drain`', 'server/ServeOptions.drain'],
  ['server', 'Life and death', '`health`', 'server/GuardOptions.health'],
  ['server', 'Several processes', '`superviseWorkers`', 'server/SuperviseOptions'],
  ['server', 'Degraded answers', '`stale`', 'server/GuardOptions.stale'],
  ['server', 'The dashboard', 'option', 'gateway/AdminForOptions'],

  ['client', 'What a request says of itself', 'option of one call', 'client/CallOptions'],
  ['client', 'Which of them it uses', '`redisClientIds`', 'client/RedisClientIdsOptions'],
  ['client', 'Localities', 'option', 'client/LocalityOptions'],
  ['client', 'Options', 'option', 'client/ClientOptions'],
  ['client', 'Options', '`subset`', 'client/SubsetOptions'],
  ['client', 'Options', '`retry`', 'client/RetryOptions'],
  ['client', 'Options', '`connections`', 'client/ConnectionOptions'],
  ['client', 'Options', '`connections.backoff`', 'client/BackoffOptions'],
  ['client', 'Options', '`health`', 'client/HealthOptions'],
  [
    'client',
    'Options',
    '`dnsResolver`, `srvResolver`',
    'client/DnsResolverOptions',
    'client/SrvResolverOptions',
  ],
  ['client', 'Options', '`fileResolver`', 'client/FileResolverOptions'],
  ['client', 'Options', '`kubernetesResolver`', 'client/KubernetesResolverOptions'],

  ['rate-limit', 'A limiter', 'option', 'rate-limit/LimiterOptions'],
  ['rate-limit', 'Rules for a server', 'rule', 'rate-limit/RuleOptions'],
  ['rate-limit', 'Rules for a server', 'option of `createRateLimits`', 'rate-limit/RateLimitsOptions'],
  ['rate-limit', 'Claims of tokens', 'option of `jwt`', 'rate-limit/JwtOptions'],
  ['rate-limit', 'The store in memory', 'option of `memoryStore`', 'rate-limit/MemoryStoreOptions'],
  ['rate-limit-redis', 'The store', 'option of `redisStore`', 'rate-limit/RedisStoreOptions'],
  ['rate-limit-redis', 'Leases', 'option of `lease`', 'rate-limit/LeaseOptions'],
  ['rate-limit-redis', 'The queue', 'option of `createOverflowQueue`', 'rate-limit/OverflowQueueOptions'],
  ['rate-limit-redis', 'The queue', 'option of `performBy`', 'rate-limit/PerformByOptions'],

  ['quota', 'Quotas of customers', 'option', 'quota/QuotaSettings'],
  ['quota', 'A client', 'option', 'quota/CapacityClientOptions'],
  ['quota', 'A server', 'option of a resource', 'quota/ResourceOptions'],
  ['quota', 'A server', 'option of the server', 'quota/CapacityServerSettings'],
  ['quota', 'Several servers, one master', 'option of `redisMastership`', 'quota/RedisMastershipOptions'],

  ['grpc', 'Options of `guardGrpc(server, guard, options)`', 'option', 'grpc/GrpcGuardOptions'],
  ['grpc-client', 'The interceptor', 'option', 'grpc/InterceptorOptions'],
  ['grpc-client', 'Policies', 'option of each', 'grpc/GrpcBalancerOptions'],

  ['gateway', '`plimsoll/gateway`: the gateway', 'option of `createGateway`', 'gateway/GatewayOptions'],

  ['core', 'Health: which of them may be sent to', 'option', 'core/RosterOptions'],
  ['core', '`weighted`', 'option', 'core/WeightedOptions'],
  ['core', '`prequal`', 'option', 'core/PrequalOptions'],
  ['core', 'Throttling: what a client withholds', 'option', 'core/ThrottleOptions'],
];

const textOf = (page: string) => readFileSync(join(root, `docs/${page}.md`), 'utf8');

/** What is told of in a table: rows of the options, and of no others. */
function namesIn(tables: readonly DocTable[], section: string, head: string): string[] {
  const found = tables.filter((table) => table.section === section && table.head === head);
  expect(found, `a table "${head}" under "${section}"`).toHaveLength(1);
  return [...found[0]!.names].sort();
}

/** A compiler takes seconds to look at them. */
let types: PublicTypes;
beforeAll(() => {
  types = new PublicTypes();
});

describe('options', () => {
  it.each(DOCUMENTED)('docs/%s.md, %s, %s: all that there are', (page, section, head, ...paths) => {
    const known = new Set(paths.flatMap((path) => types.optionsOf(path)));
    // Options of a guard are those of `serve` as well, and stand in the table above.
    if (head === 'option of `serve`')
      for (const name of types.optionsOf('server/GuardOptions')) known.delete(name);
    expect(namesIn(tablesOf(textOf(page)), section, head)).toEqual([...known].sort());
  });

  it('docs/ratelimit-service.md: all of the service', () => {
    const column = 2;
    const tables = tablesOf(textOf('ratelimit-service'), column);
    expect(namesIn(tables, 'Options', 'flag')).toEqual(
      types.optionsOf('ratelimit-service/RateLimitServiceOptions'),
    );
  });

  it('docs/gateway.md: every field of the file', () => {
    const schema = z.toJSONSchema(gatewaySchema, { io: 'input', unrepresentable: 'any' });
    const fields = fieldsOf(schema);
    expect(fields.size).toBeGreaterThan(80);
    const words = new Set(
      textOf('gateway')
        .match(/`[^`\n]+`/g)!
        .flatMap((code) => code.match(/\w+/g) ?? []),
    );
    expect([...fields].filter((field) => !words.has(field))).toEqual([]);
  });
});

describe('the comparison itself', () => {
  it('sees a row too few, and a row too many', () => {
    const page =
      '## Limits\n\n| `limits` | default |\n|---|---|\n| `a`, `b` | 1 |\n| `c.d` or `e` | `f` |\n\ntext\n';
    expect(tablesOf(page)).toEqual([{ section: 'Limits', head: '`limits`', names: ['a', 'b', 'c.d', 'e'] }]);
    expect(tablesOf(page, 1)[0]!.names).toEqual(['f']);
  });

  it('takes neither bars in cells nor tables in code for what they are not', () => {
    const page = '| a | b |\n|---|---|\n| `x \\| y` | z |\n\n```\n| `no` | table |\n```\n';
    expect(tablesOf(page)).toEqual([{ section: '', head: 'a', names: ['x \\| y'] }]);
  });

  it('knows options of options, of lists, and types that are not there', () => {
    expect(types.optionsOf('server/GuardOptions.stale')).toContain('maxStaleMs');
    expect(types.optionsOf('server/GuardOptions.routes.[]')).toContain('costMs');
    expect(() => types.optionsOf('server/NoOptions')).toThrow('plimsoll/server exports no NoOptions');
    expect(() => types.optionsOf('server/GuardOptions.none')).toThrow('has no none');
    expect(() => types.optionsOf('server/GuardOptions.holdMs')).toThrow('is no object');
  });
});
