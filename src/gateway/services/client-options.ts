import { checkClientOptions } from '../../client/client-settings.js';
import { checkHealthOptions } from '../../client/health/health-options.js';
import {
  type ClientOptions,
  dnsResolver,
  fileResolver,
  HEALTH_DEFAULTS,
  kubernetesResolver,
  type LocalityOptions,
  type ResolvedBackend,
  type Resolver,
  SUBSET_DEFAULTS,
  srvResolver,
  staticResolver,
} from '../../client/index.js';
import { checkKubernetesOptions } from '../../client/resolving/kubernetes/options.js';
import { chooseSubsetting } from '../../client/service/choose-subsetting.js';
import { AdaptiveThrottle } from '../../core/index.js';
import type { ServiceSettings } from '../settings/service-schema.js';
import { bytesOf, msOf } from '../settings/texts.js';

/** What files say, by the names that settings have for them. */
export interface ServiceFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** What a client of a service is made with. `resolve` makes a file's name one that can be opened. */
export function clientOptionsOf(
  name: string,
  service: ServiceSettings,
  files: ServiceFiles = {},
  resolve: (file: string) => string = (file) => file,
): ClientOptions {
  const { policy, subset, localities, timeouts, tls, http2, host, activeLimit, concurrency } = service;
  return {
    name,
    backends: backendsOf(service, resolve),
    policy,
    ...subsetOf(subset),
    health: healthOf(service),
    throttle: throttleOf(service),
    retry: retryOf(service),
    roster: { activeLimit },
    ...(concurrency === undefined ? {} : { concurrency }),
    connections: {
      connectTimeoutMs: msOf(timeouts.connect),
      headersTimeoutMs: msOf(timeouts.headers),
      bodyTimeoutMs: msOf(timeouts.body),
      idleMs: msOf(timeouts.idle),
      http2: http2 ? 'required' : false,
      tls: { ...files, ...(tls?.serverName === undefined ? {} : { servername: tls.serverName }) },
    },
    ...(host === 'backend' || host === 'request' ? {} : { host }),
    ...(localities === undefined ? {} : { localities: localitiesOf(localities) }),
  };
}

/** Whether a client can be made of it: throws a RangeError with what is wrong. Nothing is opened for that. */
export function checkService(service: ServiceSettings): void {
  if (!Array.isArray(service.backends) && 'kubernetes' in service.backends) {
    const { protocol, ...options } = service.backends.kubernetes;
    // Where it will run there is a cluster; here there may be none.
    checkKubernetesOptions({ ...options, protocol: `${protocol}:` }, { KUBERNETES_SERVICE_HOST: 'here' });
  }
  const checked = clientOptionsOf(
    'service',
    isInCluster(service) ? { ...service, backends: [NOWHERE] } : service,
  );
  checkClientOptions(checked);
  const { backends, subset } = checked;
  const isFixed = Array.isArray(backends);
  if (isFixed) staticResolver(backends).close();
  else (backends as Resolver).close();
  if (checked.health !== false) checkHealthOptions(checked.health);
  if (checked.throttle !== false) new AdaptiveThrottle(() => 0, checked.throttle);
  if (subset !== undefined && subset !== false)
    chooseSubsetting(
      { ...SUBSET_DEFAULTS, ...subset },
      checked.clientId as number | undefined,
      () => 0,
      isFixed,
    );
}

/** A backend to check the rest with, where finding them takes a cluster. */
const NOWHERE = 'http://127.0.0.1:1';

function isInCluster({ backends }: ServiceSettings): boolean {
  return !Array.isArray(backends) && 'kubernetes' in backends;
}

function backendsOf(
  { backends }: ServiceSettings,
  resolve: (file: string) => string,
): ClientOptions['backends'] {
  if (Array.isArray(backends)) return backends as readonly (string | ResolvedBackend)[];
  if ('dns' in backends) return dnsResolver(backends.dns, { family: backends.family, via: backends.via });
  if ('srv' in backends) return srvResolver(backends.srv, { protocol: `${backends.protocol}:` });
  if ('file' in backends) return fileResolver(resolve(backends.file));
  const { protocol, tokenFile, caFile, ...options } = backends.kubernetes;
  return kubernetesResolver({
    ...options,
    protocol: `${protocol}:`,
    ...(tokenFile === undefined ? {} : { tokenFile: resolve(tokenFile) }),
    ...(caFile === undefined ? {} : { caFile: resolve(caFile) }),
  });
}

function subsetOf(subset: ServiceSettings['subset']): Pick<ClientOptions, 'subset' | 'clientId'> {
  if (subset === 'all') return { subset: false };
  const { size, seed, algorithm, clientId } = subset;
  return {
    subset: { size, seed, ...(algorithm === undefined ? {} : { algorithm }) },
    ...(clientId === undefined ? {} : { clientId }),
  };
}

function healthOf({ health, http2 }: ServiceSettings): Exclude<ClientOptions['health'], undefined> {
  // Pages are asked for by HTTP/1.1, which backends that speak HTTP/2 need not know.
  if (health === false || (http2 && health.mode !== 'udp')) return false;
  const activeMs = msOf(health.every);
  const { path, unhealthyAfter, healthyAfter } = health;
  const httpTimeoutMs = msOf(health.timeout);
  if (path !== undefined)
    return {
      mode: health.mode,
      path,
      prefix: health.prefix,
      activeMs,
      httpTimeoutMs,
      unhealthyAfter,
      healthyAfter,
    };
  return {
    mode: health.mode,
    prefix: health.prefix,
    activeMs,
    // As the defaults have it, and never more often than those that are used.
    inactiveMs: Math.max(HEALTH_DEFAULTS.inactiveMs, activeMs),
    mostInactiveMs: Math.max(HEALTH_DEFAULTS.mostInactiveMs, activeMs),
    httpTimeoutMs,
  };
}

function throttleOf({ throttle }: ServiceSettings): Exclude<ClientOptions['throttle'], undefined> {
  if (throttle === false) return false;
  return { k: throttle.k, windowMs: msOf(throttle.window), recovery: throttle.recovery };
}

function retryOf({ retry }: ServiceSettings): Exclude<ClientOptions['retry'], undefined> {
  if (retry === false) return false;
  return {
    maxAttempts: retry.attempts,
    budget: { ratio: retry.budget },
    maxBodyBytes: bytesOf(retry.maxBody),
  };
}

function localitiesOf({
  own,
  distances,
  capacityPerBackend,
  capacityShare,
}: NonNullable<ServiceSettings['localities']>): LocalityOptions {
  return {
    own,
    distances,
    capacityShare,
    ...(capacityPerBackend === undefined ? {} : { capacityPerBackend }),
  };
}
