import type { Server, ServiceDefinition } from '@grpc/grpc-js';
import type { CapacityGrant } from '../../core/index.js';
import { GRPC_PROTOCOLS } from '../../quota/capacity-address.js';
import type { CapacityAnswer, CapacityDesk } from '../../quota/capacity-desk.js';
import type { CapacityServer } from '../../quota/capacity-server.js';
import {
  CAPACITY_METHODS,
  type CapacityMethod,
  type CapacityRequest,
  capacityMethodPath,
  decodeCapacityRequest,
  decodeReleaseRequest,
  decodeServerCapacityRequest,
  encodeCapacityAnswer,
  encodeDiscovery,
  encodeReleaseAnswer,
  GRPC_STATUS,
} from '../../wire/index.js';
import { type Boxed, bytes, methodOf } from '../server/definition.js';
import type { AnyCall, Callback } from '../server/method.js';

/** Messages come as bytes: what is none is to be counted, and grpc-js would answer it by itself. */
const DEFINITION: ServiceDefinition = Object.fromEntries(
  CAPACITY_METHODS.map((name) => [name, methodOf(capacityMethodPath(name), bytes, bytes)]),
);

/** Reads a message, or throws a RangeError. */
type Decode<Q> = (message: Buffer) => Q;

/** Answers by the books of a capacity server; capacity.proto has the messages. */
class CapacityService {
  readonly #desk: CapacityDesk;

  constructor(desk: CapacityDesk) {
    this.#desk = desk;
  }

  get implementation(): Record<CapacityMethod, (call: AnyCall, callback: Callback) => void> {
    return {
      GetCapacity: (call, callback) => this.#ask(read(call, decodeCapacityRequest), callback),
      GetServerCapacity: (call, callback) => this.#ask(read(call, decodeServerCapacityRequest), callback),
      ReleaseCapacity: (call, callback) => this.#release(call, callback),
      Discovery: (_call, callback) => {
        callback(null, encodeDiscovery({ isMaster: this.#desk.isMaster, master: this.#master }));
      },
    };
  }

  #ask(request: CapacityRequest | undefined, callback: Callback): void {
    const grants = new Map<string, CapacityGrant>();
    const answers = request?.resources.map(({ resource, ...ask }) => {
      const answer = this.#desk.ask(resource, { client: request.client, life: request.life, ...ask });
      if (answer.kind === 'granted') grants.set(resource, answer.grant);
      return answer;
    });
    this.#answer(answers, callback, (master) => encodeCapacityAnswer({ grants, master }));
  }

  #release(call: AnyCall, callback: Callback): void {
    const request = read(call, decodeReleaseRequest);
    const answers = request?.resources.map((resource) => this.#desk.release(resource, request));
    this.#answer(answers, callback, encodeReleaseAnswer);
  }

  /**
   * What cannot be read, as a whole or in part, is refused as a whole: should something of it have been granted, it is an
   * answer that was lost, and those do no harm. If only some resources are known, there is no news of the others.
   */
  #answer(
    answers: readonly CapacityAnswer[] | undefined,
    callback: Callback,
    encode: (master: string | undefined) => Buffer,
  ): void {
    const kinds = new Set(answers?.map(({ kind }) => kind));
    if (kinds.size === 0) this.#desk.refuse();
    if (kinds.size === 0 || kinds.has('unreadable'))
      callback({ code: GRPC_STATUS.invalidArgument, details: 'it is no such message' });
    else if (kinds.size === 1 && kinds.has('unknown-resource'))
      callback({ code: GRPC_STATUS.notFound, details: 'there is no such resource' });
    else callback(null, encode(kinds.has('not-master') ? this.#master : undefined));
  }

  get #master(): string {
    return this.#desk.masterAt(GRPC_PROTOCOLS);
  }
}

/** undefined: garbage. */
function read<Q>({ request }: AnyCall, decode: Decode<Q>): Q | undefined {
  try {
    return decode((request as Boxed<Buffer>).value);
  } catch {
    return undefined;
  }
}

/**
 * Serves what a capacity server has to hand out by gRPC, too, and returns the server of grpc-js. The capacity server need
 * not listen by itself for that. Its `address` says where others find it: `grpc://10.0.0.3:50051`.
 */
export function addCapacityService<S extends Pick<Server, 'addService'>>(
  server: S,
  capacity: Pick<CapacityServer, 'desk'>,
): S {
  server.addService(DEFINITION, new CapacityService(capacity.desk).implementation);
  return server;
}
