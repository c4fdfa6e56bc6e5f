import type { Call, MessageContext } from './grpc-call.js';

interface Message {
  readonly value: unknown;
  readonly context: MessageContext;
}

/**
 * What the caller has sent and asked for, to be sent again with another attempt. Of a request that is one message all is
 * kept; of a stream only what comes while there is no attempt, as the rest would grow without end.
 */
export class SentMessages {
  readonly #isStream: boolean;
  #kept: Message[] = [];
  #isHalfClosed = false;
  #isReadWanted = false;
  /** Something was sent that was not kept. */
  isSpent = false;

  constructor(isStream: boolean) {
    this.#isStream = isStream;
  }

  send(call: Call | undefined, context: MessageContext, value: unknown): void {
    if (call !== undefined) call.sendMessageWithContext(context, value);
    if (this.#isStream && call !== undefined) this.isSpent = true;
    // Whoever waits for it to be written is told once.
    else this.#kept.push({ value, context: call === undefined ? context : withoutCallback(context) });
  }

  halfClose(call: Call | undefined): void {
    this.#isHalfClosed = true;
    call?.halfClose();
  }

  startRead(call: Call | undefined): void {
    this.#isReadWanted = true;
    call?.startRead();
  }

  /** All of it, to a call that has just been started. */
  replay(call: Call): void {
    if (this.#isReadWanted) call.startRead();
    const kept = this.#kept;
    this.#kept = [];
    for (const { context, value } of kept) this.send(call, context, value);
    if (this.#isHalfClosed) call.halfClose();
  }
}

function withoutCallback({ flags }: MessageContext): MessageContext {
  return flags === undefined ? {} : { flags };
}
