import { ConnectionFault, ERRORS } from './frames.js';

/** Of the listener; all else here is counted in these. */
export const SWEEP_MS = 1_000;

/** A client that is there says what it speaks at once. */
const FIRST_SWEEPS = 10;
/** Connections without calls stay open for long: who says nothing is asked, as gRPC's own servers and clients do. */
const SILENT_SWEEPS = 60;
/** How long a client may take to answer a ping, or to take anything of what is written. */
const GONE_SWEEPS = 20;
/** How long it may take to hear why it was cut off. */
const FAULT_SWEEPS = 1;
/** A client sends a call at once: what is not there by now does not come. */
export const UNFINISHED_SWEEPS = 10;

/**
 * Calls given up before all of them was there, beyond those that were answered: more is an attack (CVE-2023-44487). Whoever
 * has waited long enough may give up as often as he likes: what he asked for counts until the store has answered.
 */
const MOST_RESETS = 1_000;

/** Whether there is anybody at the other end: a look at it each second, and nothing for each call. */
export class ConnectionWatch {
  /** Sweeps so far. */
  sweeps = 0;
  /** It has said that it speaks HTTP/2, and its settings. */
  isReady = false;
  #silent = 0;
  #stuck = 0;
  #sentBytes = 0;
  #faulty = 0;
  #resets = 0;

  heard(): void {
    this.#silent = 0;
  }

  answered(): void {
    if (this.#resets > 0) this.#resets--;
  }

  /** A call was given up. */
  gaveUp(): void {
    if (++this.#resets > MOST_RESETS)
      throw new ConnectionFault(ERRORS.enhanceYourCalm, 'too many calls are given up');
  }

  /** Of a connection that is over; true when it has had its time. */
  isFarewellOver(): boolean {
    return ++this.#faulty > FAULT_SWEEPS;
  }

  /** `sentBytes`: what the other end has taken so far; `waitingBytes`: what it has not. */
  sweep(sentBytes: number, waitingBytes: number): 'fine' | 'ask' | 'gone' {
    this.sweeps++;
    this.#silent++;
    this.#stuck = waitingBytes > 0 && sentBytes === this.#sentBytes ? this.#stuck + 1 : 0;
    this.#sentBytes = sentBytes;
    if (!this.isReady && this.sweeps > FIRST_SWEEPS) return 'gone';
    if (this.#stuck > GONE_SWEEPS || this.#silent > SILENT_SWEEPS + GONE_SWEEPS) return 'gone';
    return this.#silent === SILENT_SWEEPS ? 'ask' : 'fine';
  }
}
