import { createClient } from 'plimsoll/client';
import { BalancedPool, type Dispatcher, Pool } from 'undici';

export const SENDERS = ['balanced-pool', 'round-robin', 'least-loaded', 'weighted', 'prequal'] as const;
export type SenderName = (typeof SENDERS)[number];

/** Whatever sends a GET somewhere. */
export interface Sender {
  readonly send: (signal?: AbortSignal) => Promise<Dispatcher.ResponseData>;
  readonly stop: () => Promise<unknown>;
}

/** The default of 3 ms is for a network of servers; here all processes share two cores, and wait for each other. */
const PREQUAL = { name: 'prequal', probeTimeoutMs: 20 } as const;

/** By undici's own balancer, or by ours with one of its policies. */
export function balancer(name: SenderName, urls: readonly string[]): Sender {
  if (name === 'balanced-pool') {
    const pool = new BalancedPool([...urls]);
    return {
      send: (signal) => pool.request({ path: '/', method: 'GET', signal: signal ?? null }),
      stop: () => pool.destroy(),
    };
  }
  const client = createClient({ backends: urls, policy: name === 'prequal' ? PREQUAL : name });
  return {
    send: (signal) => client.request('/', { signal: signal ?? null }),
    stop: () => client.destroy(),
  };
}

export function barePool(url: string, connections: number): Sender {
  const pool = new Pool(url, { connections });
  return { send: () => pool.request({ path: '/', method: 'GET' }), stop: () => pool.destroy() };
}

/** With as many connections as it has requests at once, as it is by itself. */
export function ownClient(url: string): Sender {
  const client = createClient({ backends: [url] });
  return { send: () => client.request('/'), stop: () => client.destroy() };
}
