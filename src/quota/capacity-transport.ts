import type { CapacityAsk, CapacityGrant, CapacityRelease } from '../core/index.js';

/** What came of asking one server. */
export interface CapacityReply {
  readonly grant: CapacityGrant | undefined;
  /** Whether it took what was said. If not, the next server is asked. */
  readonly isHeard: boolean;
  /** Where the master is, if it said so; whatever came. */
  readonly master: unknown;
}

export const NO_REPLY: CapacityReply = Object.freeze({
  grant: undefined,
  isHeard: false,
  master: undefined,
});

/** What all ways of asking have in common. */
export interface SendOptions {
  /** No reply after so long is no reply. */
  readonly timeoutMs: number;
  /** Sent along: who protects a server asks for them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Asks servers, one message at a time. Nothing rejects: no reply is a reply. */
export interface CapacitySender {
  ask(address: string, resource: string, ask: CapacityAsk): Promise<CapacityReply>;
  release(address: string, resource: string, release: CapacityRelease): Promise<CapacityReply>;
  /** What is under way is given up. */
  close(): Promise<void>;
}

/** Another way to ask servers than HTTP: `grpcCapacity(grpc)` of `plimsoll/grpc`. */
export interface CapacityTransport {
  /** Of the addresses that are for it: `['grpc:', 'grpcs:']`. */
  readonly protocols: readonly string[];
  open(options: SendOptions): CapacitySender;
}
