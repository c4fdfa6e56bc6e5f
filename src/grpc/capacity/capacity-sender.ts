import type { ChannelCredentials, ChannelOptions, Client, ClientUnaryCall, Metadata } from '@grpc/grpc-js';
import type { CapacityAsk, CapacityRelease } from '../../core/index.js';
import {
  type CapacityReply,
  type CapacitySender,
  NO_REPLY,
  type SendOptions,
} from '../../quota/capacity-transport.js';
import {
  type CapacityMethod,
  capacityMethodPath,
  decodeCapacityAnswer,
  decodeReleaseAnswer,
  encodeCapacityRequest,
  encodeReleaseRequest,
  encodeServerCapacityRequest,
  GRPC_STATUS,
  isForOneself,
  MOST_CAPACITY_BYTES,
} from '../../wire/index.js';
import { type Grpc, READY } from '../client/policies/grpc-api.js';
import { bytes } from '../server/definition.js';

/** Addresses that are not of anybody's list are learned from servers: twice as many as there are in a list. */
const MOST_CHANNELS = 32;

const CHANNEL_OPTIONS: ChannelOptions = Object.freeze({
  'grpc.max_receive_message_length': MOST_CAPACITY_BYTES,
  // Two minutes otherwise, by when a lease has ended. Whoever asks again, does so after a second at the soonest.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  // A connection that is given up must not come back with the next channel.
  'grpc.use_local_subchannel_pool': 1,
  // What a channel does is said here.
  'grpc.service_config_disable_resolution': 1,
});

export interface ChannelSettings {
  /** For `grpcs:`. */
  readonly credentials: ChannelCredentials;
  readonly channelOptions: ChannelOptions;
}

/** Asks by gRPC. A channel for each server that it was told to ask. */
export class GrpcCapacitySender implements CapacitySender {
  readonly #grpc: Grpc;
  readonly #settings: ChannelSettings;
  readonly #timeoutMs: number;
  readonly #metadata: Metadata;
  readonly #channels = new Map<string, Client>();
  readonly #calls = new Set<ClientUnaryCall>();

  constructor(grpc: Grpc, settings: ChannelSettings, { timeoutMs, headers }: SendOptions) {
    this.#grpc = grpc;
    this.#settings = settings;
    this.#timeoutMs = timeoutMs;
    this.#metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(headers)) this.#metadata.set(name, value);
  }

  async ask(
    address: string,
    resource: string,
    { client, life, ...ask }: CapacityAsk,
  ): Promise<CapacityReply> {
    const request = { client, life, resources: [{ resource, ...ask }] };
    const answer = isForOneself(ask)
      ? await this.#call(address, 'GetCapacity', encodeCapacityRequest(request))
      : await this.#call(address, 'GetServerCapacity', encodeServerCapacityRequest(request));
    return replyOf(answer, (message) => {
      const { grants, master } = decodeCapacityAnswer(message);
      const grant = grants.get(resource);
      return { grant, isHeard: grant !== undefined, master };
    });
  }

  async release(address: string, resource: string, release: CapacityRelease): Promise<CapacityReply> {
    const request = encodeReleaseRequest({ ...release, resources: [resource] });
    const answer = await this.#call(address, 'ReleaseCapacity', request);
    return replyOf(answer, (message) => {
      const master = decodeReleaseAnswer(message);
      return { grant: undefined, isHeard: master === undefined, master };
    });
  }

  async close(): Promise<void> {
    for (const call of this.#calls) call.cancel();
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
  }

  /** The answer as it came. undefined: none. */
  #call(address: string, method: CapacityMethod, request: Buffer): Promise<Buffer | undefined> {
    const channel = this.#channelTo(address);
    const deadline = Date.now() + this.#timeoutMs;
    return new Promise((resolve) => {
      const call = channel.makeUnaryRequest(
        capacityMethodPath(method),
        bytes,
        bytes,
        request,
        this.#metadata.clone(),
        { deadline },
        (error, answer) => {
          this.#calls.delete(call);
          if (error?.code === GRPC_STATUS.deadlineExceeded) this.#doubt(address, channel);
          resolve(error === null ? answer : undefined);
        },
      );
      this.#calls.add(call);
    });
  }

  #channelTo(address: string): Client {
    let channel = this.#channels.get(address);
    if (channel === undefined) {
      const { protocol, host } = new URL(address);
      const { Client, credentials } = this.#grpc;
      const trust = protocol === 'grpcs:' ? this.#settings.credentials : credentials.createInsecure();
      channel = new Client(host, trust, { ...CHANNEL_OPTIONS, ...this.#settings.channelOptions });
      this.#channels.set(address, channel);
      const [[oldest, unused] = ['', channel]] = this.#channels;
      if (this.#channels.size > MOST_CHANNELS) this.#drop(oldest, unused);
    }
    return channel;
  }

  /**
   * Of a peer that is gone without a word a connection hears nothing: the next call makes another one. While one is being
   * made it stays: grpc-js would make the next and not end this.
   */
  #doubt(address: string, channel: Client): void {
    if (channel.getChannel().getConnectivityState(false) === READY) this.#drop(address, channel);
  }

  #drop(address: string, channel: Client): void {
    channel.close();
    if (this.#channels.get(address) === channel) this.#channels.delete(address);
  }
}

function replyOf(answer: Buffer | undefined, read: (message: Buffer) => CapacityReply): CapacityReply {
  try {
    return answer === undefined ? NO_REPLY : read(answer);
  } catch {
    return NO_REPLY;
  }
}
