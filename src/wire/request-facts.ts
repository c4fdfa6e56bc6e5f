import type { Criticality } from '../core/index.js';
import { traceIdOf } from './trace-parent.js';

/**
 * What the headers of a request say that the guard has to know before anything else. One object serves any number of
 * requests, one after the other: reading the headers of the next forgets the last.
 */
export class RequestFacts {
  criticality: Criticality | undefined = undefined;
  /** 1 for a first attempt, and when nothing (or nothing possible) was said. */
  attempt = 1;
  /** How much time the sender has left. 0: none. */
  timeoutMs: number | undefined = undefined;
  customer: string | undefined = undefined;
  /** As it came and not looked at; see `traceId`. */
  traceparent: string | undefined = undefined;
  /** Undefined when it was not said, or is not a number. */
  contentLength: number | undefined = undefined;
  hasBody = false;
  /** It waits for `100 Continue` before it sends its body. */
  expectsContinue = false;
  isUpgrade = false;
  /** Values of ours that made no sense, or came twice: they are ignored, and somebody should know. */
  malformed = 0;
  /** Which of ours have been read: bits. */
  seen = 0;
  #traceId: string | undefined = undefined;
  #isTraceRead = false;

  /** Looked at when it is asked for: most requests are served without anybody asking. */
  get traceId(): string | undefined {
    if (!this.#isTraceRead) {
      this.#isTraceRead = true;
      this.#traceId = this.traceparent === undefined ? undefined : traceIdOf(this.traceparent);
      if (this.traceparent !== undefined && this.#traceId === undefined) this.malformed++;
    }
    return this.#traceId;
  }

  /** Forgets what a stranger may not decide: how critical, which attempt, how long, for whom, and in which trace. */
  disbelieve(): void {
    this.criticality = undefined;
    this.attempt = 1;
    this.timeoutMs = undefined;
    this.customer = undefined;
    this.traceparent = undefined;
    this.#traceId = undefined;
    this.#isTraceRead = false;
  }

  reset(): void {
    this.disbelieve();
    this.contentLength = undefined;
    this.hasBody = false;
    this.expectsContinue = false;
    this.isUpgrade = false;
    this.malformed = 0;
    this.seen = 0;
  }
}
