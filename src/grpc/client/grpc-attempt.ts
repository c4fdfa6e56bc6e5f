import type { Metadata, StatusObject } from '@grpc/grpc-js';
import type { AttemptProgress } from './attempt-progress.js';
import type { Call, Listener } from './grpc-call.js';
import { withoutHopFields } from './refused-status.js';

/** Who hears of an attempt. */
export interface AttemptOwner {
  /** The answer has begun. */
  onBegun(attempt: GrpcAttempt): void;
  onStatus(attempt: GrpcAttempt, status: StatusObject): void;
}

/**
 * One sending of a call. An answer that is a stream is handed on as it comes, and with its first word there is no going
 * back (gRFC A6: a call is committed when it receives headers). An answer that is one message is of no use before its status,
 * so it is held back until then, and can be thrown away.
 */
export class GrpcAttempt implements Listener {
  readonly call: Call;
  readonly progress: AttemptProgress;
  readonly sentMs: number;
  hasHeaders = false;
  /** The code that it ended with. */
  status: number | undefined = undefined;
  readonly #owner: AttemptOwner;
  readonly #listener: Listener;
  readonly #isHeld: boolean;
  #metadata: Metadata | undefined = undefined;
  #messages: unknown[] = [];

  constructor(
    owner: AttemptOwner,
    call: Call,
    listener: Listener,
    isHeld: boolean,
    progress: AttemptProgress,
    now: number,
  ) {
    this.#owner = owner;
    this.call = call;
    this.#listener = listener;
    this.#isHeld = isHeld;
    this.progress = progress;
    this.sentMs = now;
  }

  /** Who has it; before anybody does, what the channel was made for. */
  get backend(): string {
    return this.progress.backend ?? this.call.getPeer();
  }

  onReceiveMetadata(metadata: Metadata): void {
    this.hasHeaders = true;
    this.#owner.onBegun(this);
    if (this.#isHeld) this.#metadata = metadata;
    else this.#listener.onReceiveMetadata(metadata);
  }

  onReceiveMessage(message: unknown): void {
    if (this.#isHeld) this.#messages.push(message);
    else this.#listener.onReceiveMessage(message);
  }

  onReceiveStatus(status: StatusObject): void {
    this.status = status.code;
    this.#owner.onStatus(this, status);
  }

  /** Hands on what was held back, and this status as the end of it. */
  deliver(status: StatusObject): void {
    if (this.#metadata !== undefined) this.#listener.onReceiveMetadata(this.#metadata);
    for (const message of this.#messages) this.#listener.onReceiveMessage(message);
    this.#messages = [];
    this.#listener.onReceiveStatus(withoutHopFields(status));
  }
}
