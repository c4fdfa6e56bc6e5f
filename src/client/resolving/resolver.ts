/** One backend as a resolver knows it. */
export interface ResolvedBackend {
  /** Origin: scheme, host (an address or a name) and port, e.g. `http://10.0.0.1:8080`. The key of the backend. */
  readonly url: string;
  /** Zone or datacenter, for localities. */
  readonly zone?: string;
  /** What is known of it beforehand; `ready` when not said. `lame-duck`: serving, but on its way out. */
  readonly state?: 'ready' | 'starting' | 'lame-duck';
  /** What to call it in `Host` and in TLS (SNI, certificate check), when that is not the host of `url`. */
  readonly host?: string;
}

/** What a resolver tells its client. */
export interface ResolverListener {
  /** All backends there are now. An empty list is believed only if the resolver is sure of it. */
  onBackends(backends: readonly ResolvedBackend[]): void;
  /** Could not be found out; what was known before still holds. */
  onError(error: Error): void;
}

/** Tells a listener where backends are, and again when that changes. */
export interface Resolver {
  /** Which kind it is: `static`, `file`, `dns`, `srv`, `kubernetes`. */
  readonly name: string;
  /** Once. */
  start(listener: ResolverListener): void;
  /** Something is wrong with what it told: look again soon (bounded, never a storm). */
  refresh(): void;
  close(): void;
}
