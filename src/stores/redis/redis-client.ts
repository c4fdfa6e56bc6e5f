import { checkOneOf } from '../../core/check.js';
import { quickenStrings } from './quick-strings.js';

/** What is needed of an ioredis client or Cluster; described here so that the package's types do not need ioredis. */
export interface RedisClient {
  readonly status: string;
  readonly isCluster: boolean;
  evalsha(sha: string, keys: number, ...rest: (string | number)[]): Promise<unknown>;
  eval(text: string, keys: number, ...rest: (string | number)[]): Promise<unknown>;
  /** The same with bytes, which are no text: what comes back are Buffers. */
  evalshaBuffer(sha: string, keys: number, ...rest: (string | number | Buffer)[]): Promise<unknown>;
  evalBuffer(text: string, keys: number, ...rest: (string | number | Buffer)[]): Promise<unknown>;
  on(event: 'connect' | 'ready' | 'close' | 'error', listener: (error?: unknown) => void): unknown;
  disconnect(reconnect?: boolean): void;
}

/** One whose connection does nothing but listen. */
export interface ListeningClient {
  readonly status: string;
  subscribe(channel: string): Promise<unknown>;
  on(event: 'ready' | 'error', listener: (error?: unknown) => void): unknown;
  on(event: 'messageBuffer', listener: (channel: Buffer, message: Buffer) => void): unknown;
  disconnect(reconnect?: boolean): void;
}

/** A Cluster's nodes, and who has a slot: the first of each list is the master. */
export interface ClusterClient extends RedisClient {
  readonly slots: readonly (readonly string[] | undefined)[];
  nodes(role: 'master'): readonly (RedisClient & { readonly options: { host?: string; port?: number } })[];
}

/** An ioredis client or Cluster of the user's: its settings are taken over, its connection is not used. */
export interface GivenClient {
  readonly isCluster?: boolean;
  readonly options?: object;
  duplicate(...overrides: never[]): unknown;
}

export interface ClientOptions {
  /** `redis://user:password@host:6379/0`, `rediss://…` with TLS. Several are nodes of one Cluster. */
  readonly url?: string | readonly string[] | undefined;
  /** Instead of `url`: a client or Cluster of ioredis, for Sentinel, TLS files and what else it can. */
  readonly client?: GivenClient | undefined;
}

/** A server that is being replaced is back within seconds: so many processes must not come at the same instant. */
const LONGEST_RETRY_MS = 1_000;

function retryMs(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 10), LONGEST_RETRY_MS) * (0.5 + Math.random() / 2);
}

/**
 * What keeps calls bounded: nothing waits for a connection, nothing is sent a second time on another one, and a replica
 * that was a master until just now is left at once.
 */
const CONNECTION = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableAutoPipelining: false,
  // Nobody would catch it when that fails: RedisSubscriber does it.
  autoResubscribe: false,
  connectTimeout: 1_000,
  // Of a server that is stopped no end of the connection comes; it is left all the same.
  disconnectTimeout: 100,
  retryStrategy: retryMs,
  reconnectOnError: (error: Error) => error.message.includes('READONLY'),
  // Replies are then the same with both versions of ioredis, whatever else was set.
  protocol: 2,
  stringNumbers: false,
  lazyConnect: false,
};

const CLUSTER = {
  enableOfflineQueue: false,
  clusterRetryStrategy: retryMs,
  // A slot that moves is there within milliseconds; who waits for it has 50.
  retryDelayOnTryAgain: 5,
  maxRedirections: 8,
};

export async function connectClient({ url, client }: ClientOptions): Promise<RedisClient> {
  if ((url === undefined) === (client === undefined)) {
    throw new RangeError('one of url and client must be given, and not both');
  }
  if (client !== undefined) return copyOf(client);
  const urls = (Array.isArray(url) ? url : [url]) as readonly unknown[];
  if (urls.length === 0) throw new RangeError('url must name at least one node, got none');
  const nodes = urls.map(checkUrl);
  const { Redis, Cluster } = await ioredis();
  const made: unknown = Array.isArray(url)
    ? new Cluster(url as string[], clusterOptions(credentialsOf(nodes[0]!)) as never)
    : new Redis(url as string, CONNECTION as never);
  return made as RedisClient;
}

function clusterOptions(given: object): object {
  return { ...CLUSTER, redisOptions: { ...given, ...CONNECTION } };
}

/** Nodes that are not listed but found want the same ones. */
function credentialsOf({ username, password, protocol }: URL): object {
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

function copyOf(client: GivenClient): RedisClient {
  if (typeof client.duplicate !== 'function') {
    throw new RangeError('client must be a client or Cluster of ioredis');
  }
  quickenStrings();
  // Options of nodes would be replaced as a whole, with their password.
  const ofNodes = (client.options as { redisOptions?: object } | undefined)?.redisOptions ?? {};
  const overrides = client.isCluster === true ? [undefined, clusterOptions(ofNodes)] : [CONNECTION];
  return client.duplicate(...(overrides as never[])) as RedisClient;
}

/** Never shown: it may have a password. */
function checkUrl(given: unknown): URL {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined) {
    throw new RangeError(
      'url must be one such as redis://user:password@host:6379 with all special letters escaped',
    );
  }
  checkOneOf('protocol of url', url.protocol, ['redis:', 'rediss:']);
  return url;
}

async function ioredis(): Promise<Pick<typeof import('ioredis'), 'Redis' | 'Cluster'>> {
  try {
    const loaded = await import('ioredis');
    quickenStrings();
    return loaded;
  } catch (error) {
    throw new Error('Redis needs the package ioredis: npm install ioredis', { cause: error });
  }
}
