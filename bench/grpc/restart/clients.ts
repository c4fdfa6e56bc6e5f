import * as grpc from '@grpc/grpc-js';
import { plimsollInterceptor, registerPolicies, serviceConfigFor } from 'plimsoll/grpc';
import type { RestartClient } from './rolling-restart.js';

const UNARY = '/test.Echo/Unary';
const FOREVER = '/test.Echo/Forever';
/** A backend that is back is to be used while it lasts. */
const BACKOFF = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 100 };

const asIs = (bytes: Buffer): Buffer => bytes;
const HELLO = Buffer.from('hi');

class FleetClient implements RestartClient {
  readonly #client: grpc.Client;

  constructor(ports: readonly number[], options: grpc.ClientOptions) {
    const target = `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
    this.#client = new grpc.Client(target, grpc.credentials.createInsecure(), { ...BACKOFF, ...options });
  }

  call(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#client.makeUnaryRequest(UNARY, asIs, asIs, HELLO, (error, reply) => {
        if (error) resolve(`${grpc.status[error.code]}: ${error.details}`);
        else resolve(reply?.equals(HELLO) ? undefined : 'another answer');
      });
    });
  }

  stream(): Promise<string> {
    return new Promise((resolve) => {
      const stream = this.#client.makeServerStreamRequest(FOREVER, asIs, asIs, HELLO);
      stream.on('data', () => {});
      stream.on('error', () => {});
      stream.on('status', ({ code }) => resolve(grpc.status[code]));
    });
  }

  close(): void {
    this.#client.close();
  }
}

/** As grpc-js is: goes round the backends, and retries nothing but what it may without being told to. */
export function plainClient(ports: readonly number[]): RestartClient {
  const config = JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] });
  return new FleetClient(ports, { 'grpc.service_config': config });
}

let areRegistered = false;

/** With our interceptor and policy, and methods that must not be done twice. */
export function plimsollClient(ports: readonly number[]): RestartClient {
  if (!areRegistered) registerPolicies(grpc);
  areRegistered = true;
  return new FleetClient(ports, {
    interceptors: [plimsollInterceptor({ service: 'echo' })],
    'grpc.service_config': serviceConfigFor('weighted', { service: 'echo', subset: false }),
  });
}
