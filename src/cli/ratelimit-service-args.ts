import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from './usage-error.js';

export const RATELIMIT_SERVICE_HELP = `plimsoll ratelimit-service <rules…> [options]

Answers Envoy proxies (envoy.service.ratelimit.v3) by files of Envoy's own rate limit service, or folders of such:

  domain: edge
  descriptors:
    - key: remote_address
      rate_limit: { unit: minute, requests_per_unit: 100 }

  --grpc-port N          of the service; 8081, or GRPC_PORT
  --http-port N          of /json and /healthcheck; 8080, or PORT; "none" for none
  --debug-port N         of /rlconfig and /stats; none, or DEBUG_PORT
  --host ADDRESS         127.0.0.1, or HOST
  --redis URL            count in Redis, together with others; in memory of this process, or by REDIS_URL
  --redis-prefix TEXT    what keys there begin with; or CACHE_KEY_PREFIX
  --timeout MS           how long Redis may take; 50
  --on-store-failure X   allow (the default), refuse, or error: the proxy decides
  --max-keys N           kept in memory; 1000000
  --shadow               everybody passes; or SHADOW_MODE=true
  --merge-domains        several files about one domain; or MERGE_DOMAIN_CONFIG=true
  --response-headers     RateLimit-Limit, -Remaining and -Reset for clients; or LIMIT_RESPONSE_HEADERS_ENABLED=true
  --request-headers      the same for the service behind the proxy; or LIMIT_REQUEST_HEADERS_ENABLED=true
  --dynamic-metadata     what was asked, for later filters; or RESPONSE_DYNAMIC_METADATA=true
  --near-limit-ratio X   from where on hits count as near the limit; 0.8, or NEAR_LIMIT_RATIO
  --tls-cert FILE --tls-key FILE   TLS on the port of gRPC; or GRPC_SERVER_TLS_CERT, GRPC_SERVER_TLS_KEY
  --tls-ca FILE          clients must have a certificate of this authority; or GRPC_CLIENT_TLS_CACERT
  --check                look at the rules, and end

Without rules: RUNTIME_ROOT/RUNTIME_SUBDIRECTORY/RUNTIME_APPDIRECTORY, as there. Rules are followed as they change, and read
again on SIGHUP: what is wrong changes nothing. SIGTERM ends it when all calls are answered.

The exit code is 2 when it cannot start.`;

type Variables = Readonly<Record<string, string | undefined>>;

export interface RatelimitServiceArgs {
  readonly paths: readonly string[];
  readonly action: 'run' | 'check';
  readonly host: string | undefined;
  readonly grpcPort: number | undefined;
  readonly httpPort: number | false | undefined;
  readonly debugPort: number | false | undefined;
  readonly redis: string | undefined;
  readonly redisPrefix: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly onStoreFailure: 'allow' | 'refuse' | 'error' | undefined;
  readonly maxKeys: number | undefined;
  readonly shadow: boolean;
  readonly mergeDomains: boolean;
  readonly responseHeaders: HeaderNames | undefined;
  readonly requestHeaders: HeaderNames | undefined;
  readonly dynamicMetadata: boolean;
  readonly nearLimitRatio: number | undefined;
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string | undefined } | undefined;
}

interface HeaderNames {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

/** Undefined: somebody wants help. What is said beats what the environment says, whose names are those of Envoy's service. */
export function parseRatelimitServiceArgs(
  args: string[],
  environment: Variables,
): RatelimitServiceArgs | undefined {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      check: flag,
      'grpc-port': text,
      'http-port': text,
      'debug-port': text,
      host: text,
      redis: text,
      'redis-prefix': text,
      timeout: text,
      'on-store-failure': text,
      'max-keys': text,
      shadow: flag,
      'merge-domains': flag,
      'response-headers': flag,
      'request-headers': flag,
      'dynamic-metadata': flag,
      'near-limit-ratio': text,
      'tls-cert': text,
      'tls-key': text,
      'tls-ca': text,
    },
  });
  if (values.help) return undefined;
  const number = (name: keyof typeof values & string, variable?: string) =>
    numberOf(name, (values[name] as string | undefined) ?? (variable && environment[variable]));
  const port = (name: 'http-port' | 'debug-port', variable: string) =>
    values[name] === 'none' ? false : number(name, variable);
  const isOn = (said: boolean | undefined, variable: string) =>
    said ?? /^(1|t|true)$/i.test(environment[variable] ?? '');
  return {
    paths: pathsOf(positionals, environment),
    action: values.check ? 'check' : 'run',
    host: values.host ?? environment['GRPC_HOST'] ?? environment['HOST'],
    grpcPort: number('grpc-port', 'GRPC_PORT'),
    httpPort: port('http-port', 'PORT'),
    debugPort: port('debug-port', 'DEBUG_PORT'),
    redis: redisOf(values.redis ?? environment['REDIS_URL']),
    redisPrefix: values['redis-prefix'] ?? environment['CACHE_KEY_PREFIX'],
    timeoutMs: number('timeout'),
    onStoreFailure: choiceOf(values['on-store-failure']),
    maxKeys: number('max-keys'),
    shadow: isOn(values.shadow, 'SHADOW_MODE'),
    mergeDomains: isOn(values['merge-domains'], 'MERGE_DOMAIN_CONFIG'),
    responseHeaders: isOn(values['response-headers'], 'LIMIT_RESPONSE_HEADERS_ENABLED')
      ? headersOf(environment, 'LIMIT')
      : undefined,
    requestHeaders: isOn(values['request-headers'], 'LIMIT_REQUEST_HEADERS_ENABLED')
      ? headersOf(environment, 'LIMIT_REQUEST')
      : undefined,
    dynamicMetadata: isOn(values['dynamic-metadata'], 'RESPONSE_DYNAMIC_METADATA'),
    nearLimitRatio: number('near-limit-ratio', 'NEAR_LIMIT_RATIO'),
    tls: tlsOf(values, environment),
  };
}

function pathsOf(given: readonly string[], environment: Variables): readonly string[] {
  if (given.length > 0) return given;
  const root = environment['RUNTIME_ROOT'];
  if (root === undefined)
    throw new UsageError(`ratelimit-service needs a file or a folder of rules.\n\n${RATELIMIT_SERVICE_HELP}`);
  return [
    join(root, environment['RUNTIME_SUBDIRECTORY'] ?? '', environment['RUNTIME_APPDIRECTORY'] ?? 'config'),
  ];
}

function numberOf(flag: string, given: string | undefined): number | undefined {
  if (given === undefined || given === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(given)) return Number(given);
  throw new UsageError(`--${flag} must be a number, got ${JSON.stringify(given)}`);
}

/** Envoy's service has `host:port` there. */
function redisOf(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  return /^\w+:\/\//.test(given) ? given : `redis://${given}`;
}

function choiceOf(given: string | undefined): 'allow' | 'refuse' | 'error' | undefined {
  if (given === undefined || given === 'allow' || given === 'refuse' || given === 'error') return given;
  throw new UsageError(`--on-store-failure must be allow, refuse or error, got ${JSON.stringify(given)}`);
}

function headersOf(environment: Variables, prefix: string): HeaderNames {
  return {
    limit: environment[`${prefix}_LIMIT_HEADER`] ?? 'RateLimit-Limit',
    remaining: environment[`${prefix}_REMAINING_HEADER`] ?? 'RateLimit-Remaining',
    reset: environment[`${prefix}_RESET_HEADER`] ?? 'RateLimit-Reset',
  };
}

function tlsOf(
  values: { 'tls-cert'?: string | undefined; 'tls-key'?: string | undefined; 'tls-ca'?: string | undefined },
  environment: Variables,
): RatelimitServiceArgs['tls'] {
  const isOn = /^(1|t|true)$/i.test(environment['GRPC_SERVER_USE_TLS'] ?? '');
  const cert = values['tls-cert'] ?? (isOn ? environment['GRPC_SERVER_TLS_CERT'] : undefined);
  const key = values['tls-key'] ?? (isOn ? environment['GRPC_SERVER_TLS_KEY'] : undefined);
  const ca = values['tls-ca'] ?? (isOn ? environment['GRPC_CLIENT_TLS_CACERT'] : undefined);
  if (cert === undefined && key === undefined && ca === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError('TLS needs --tls-cert and --tls-key');
  return { cert, key, ca };
}
