/** Where a service's backends are: a list, a file, DNS, Kubernetes. */
export { DNS_RESOLVER_DEFAULTS, type DnsResolverOptions } from './dns-options.js';
export { dnsResolver } from './dns-resolver.js';
export { FILE_RESOLVER_DEFAULTS, type FileResolverOptions, fileResolver } from './file-resolver.js';
export { kubernetesResolver } from './kubernetes/kubernetes-resolver.js';
export {
  KUBERNETES_RESOLVER_DEFAULTS,
  type KubernetesResolverOptions,
} from './kubernetes/options.js';
export type { ResolvedBackend, Resolver, ResolverListener } from './resolver.js';
export { SRV_RESOLVER_DEFAULTS, type SrvResolverOptions, srvResolver } from './srv-resolver.js';
export { staticResolver } from './static-resolver.js';
