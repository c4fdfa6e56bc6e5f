import type { ConnectionOptions } from 'node:tls';
import { Agent, type buildConnector, request } from 'undici';
import { type CapacityAsk, type CapacityRelease, readCapacityGrant } from '../core/index.js';
import { MOST_CAPACITY_BYTES } from '../wire/index.js';
import { type CapacityAction, capacityUrl, MASTER_HEADER } from './capacity-path.js';
import { type CapacityReply, type CapacitySender, NO_REPLY, type SendOptions } from './capacity-transport.js';

/** Asks by HTTP, in JSON. */
export class HttpSender implements CapacitySender {
  readonly #options: SendOptions;
  readonly #agent: Agent;

  constructor(options: SendOptions, tls: ConnectionOptions) {
    this.#options = options;
    this.#agent = new Agent({
      connections: 1,
      connect: { ...tls, timeout: options.timeoutMs } as buildConnector.BuildOptions,
      maxResponseSize: MOST_CAPACITY_BYTES,
    });
  }

  ask(address: string, resource: string, ask: CapacityAsk): Promise<CapacityReply> {
    return this.#post(address, resource, 'ask', ask);
  }

  release(address: string, resource: string, release: CapacityRelease): Promise<CapacityReply> {
    return this.#post(address, resource, 'release', release);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #post(
    address: string,
    resource: string,
    action: CapacityAction,
    message: CapacityAsk | CapacityRelease,
  ): Promise<CapacityReply> {
    const { headers, timeoutMs } = this.#options;
    try {
      const response = await request(capacityUrl(address, resource, action), {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(message),
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.body.text();
      if (response.statusCode === 204) return { ...NO_REPLY, isHeard: true };
      if (response.statusCode !== 200) return { ...NO_REPLY, master: response.headers[MASTER_HEADER] };
      const grant = readCapacityGrant(JSON.parse(text));
      return { grant, isHeard: grant !== undefined, master: undefined };
    } catch {
      return NO_REPLY;
    }
  }
}
