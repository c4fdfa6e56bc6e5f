import { isIPv6 } from 'node:net';
import { checkOneOf, checkPositive, withDefaults } from '../../../core/check.js';
import { checkHost } from '../backends.js';

/** Which Service is followed, and how the API server is reached: inside a pod only `service` has to be said. */
export interface KubernetesResolverOptions {
  /** Name of the Service. */
  readonly service: string;
  /** Undefined: that of the pod. */
  readonly namespace: string | undefined;
  /** Which port of the Service's pods, by name or number; may be left out when there is one. */
  readonly port: string | number | undefined;
  /** What backends speak: EndpointSlices do not say it. */
  readonly protocol: 'http:' | 'https:';
  /** What to call the backends in `Host` and TLS; undefined: `<service>.<namespace>.svc` for https, nothing for http. */
  readonly host: string | undefined;
  /** Undefined: that of the cluster the pod is in. A path in front of `/apis` is kept. */
  readonly apiServer: string | undefined;
  /** Sent to the API server, instead of what is in `tokenFile`. */
  readonly token: string | undefined;
  /** Read anew for every request, since tokens rotate. Undefined: that of the pod, if the API server is asked by https. */
  readonly tokenFile: string | undefined;
  /** Certificates to trust, PEM. */
  readonly ca: string | undefined;
  /** Undefined: that of the pod. */
  readonly caFile: string | undefined;
  /** A page of a list, or the beginning of a watch, that takes longer is given up. */
  readonly timeoutMs: number;
  /** A watch on which nothing has come for so long is begun anew. */
  readonly watchIdleMs: number;
  /** After the first failure; twice as long after each further one … */
  readonly retryMinMs: number;
  /** … up to this. */
  readonly retryMaxMs: number;
  /** From one list to one that was asked for by `refresh()`, at least. */
  readonly refreshGapMs: number;
}

export const KUBERNETES_RESOLVER_DEFAULTS: KubernetesResolverOptions = Object.freeze({
  service: '',
  namespace: undefined,
  port: undefined,
  protocol: 'http:',
  host: undefined,
  apiServer: undefined,
  token: undefined,
  tokenFile: undefined,
  ca: undefined,
  caFile: undefined,
  // An API server that is busy takes seconds for a list; its own limit for requests is a minute.
  timeoutMs: 30_000,
  // Bookmarks come about once a minute: two of them missed is a connection that is dead or a server that sends none,
  // for which one more request in two minutes is no burden.
  watchIdleMs: 130_000,
  // An API server that restarts meets all clients of the cluster again.
  retryMinMs: 1_000,
  retryMaxMs: 30_000,
  // The watch says what changes: to list again is for doubt, and a list costs the API server more than a watch.
  refreshGapMs: 10_000,
});

/** Where Kubernetes puts what a pod needs to know. */
export const POD_FILES = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Labels of DNS (RFC 1123), which names of services and namespaces are. */
const NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** Options with all that can be known beforehand filled in. */
export interface CheckedOptions extends KubernetesResolverOptions {
  readonly apiServer: string;
}

export function checkKubernetesOptions(
  given: Partial<KubernetesResolverOptions>,
  env: Readonly<Record<string, string | undefined>>,
): CheckedOptions {
  const options = withDefaults('kubernetesResolver', KUBERNETES_RESOLVER_DEFAULTS, given);
  checkName('service', options.service);
  if (options.namespace !== undefined) checkName('namespace', options.namespace);
  checkOneOf('protocol', options.protocol, ['http:', 'https:']);
  checkPort(options.port);
  if (options.host !== undefined) checkHost('host', options.host);
  for (const field of ['timeoutMs', 'watchIdleMs', 'retryMinMs', 'retryMaxMs', 'refreshGapMs'] as const) {
    checkPositive(field, options[field]);
  }
  const { retryMinMs, retryMaxMs } = options;
  if (retryMinMs > retryMaxMs) {
    throw new RangeError(`retryMinMs must be <= retryMaxMs, got ${retryMinMs} > ${retryMaxMs}`);
  }
  for (const [one, other] of [
    ['token', 'tokenFile'],
    ['ca', 'caFile'],
  ] as const) {
    if (options[one] !== undefined && options[other] !== undefined) {
      throw new RangeError(`${one} and ${other} must not both be given`);
    }
  }
  return withPodFiles({ ...options, apiServer: checkApiServer(options.apiServer ?? serverOfPod(env)) });
}

/** A token goes over an encrypted connection, unless somebody names it for another. */
function withPodFiles(options: CheckedOptions): CheckedOptions {
  const { apiServer, token, tokenFile, ca, caFile } = options;
  if (!apiServer.startsWith('https:')) return options;
  return {
    ...options,
    tokenFile: token === undefined ? (tokenFile ?? `${POD_FILES}/token`) : undefined,
    caFile: ca === undefined ? (caFile ?? `${POD_FILES}/ca.crt`) : undefined,
  };
}

function serverOfPod(env: Readonly<Record<string, string | undefined>>): string {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (host === undefined || host === '') {
    throw new RangeError('apiServer must be given outside of a cluster (KUBERNETES_SERVICE_HOST is not set)');
  }
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function checkApiServer(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isRight =
    url !== undefined &&
    ['http:', 'https:'].includes(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isRight) throw new RangeError(`apiServer must be an http or https URL, got ${JSON.stringify(given)}`);
  return url.href.replace(/\/+$/, '');
}

function checkName(field: string, value: unknown): void {
  if (typeof value === 'string' && NAME.test(value)) return;
  throw new RangeError(
    `${field} must be a name of Kubernetes, such as "orders", got ${JSON.stringify(value)}`,
  );
}

function checkPort(port: unknown): void {
  if (port === undefined || (typeof port === 'string' && NAME.test(port))) return;
  if (typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535) return;
  throw new RangeError(`port must be the name or number of a port, got ${JSON.stringify(port)}`);
}
