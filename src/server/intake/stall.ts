import { elapsedMs } from '../../core/index.js';

/** As much of a socket as is looked at. Node's handle knows of parts of a piece; without one, there is what was written. */
export interface Written {
  readonly writableLength: number;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/** Whether the other end of a connection takes what it is sent. */
export class Stall {
  #untaken = 0;
  #sinceMs = 0;

  /** For how long it has taken nothing; 0 when there is nothing to take. As exact as it is asked often. */
  lastsMs(socket: object, now: number): number {
    const { _handle: handle, writableLength } = socket as Written;
    const untaken = handle?.writeQueueSize ?? writableLength;
    if (untaken === 0 || untaken !== this.#untaken) {
      this.#untaken = untaken;
      this.#sinceMs = now;
    }
    return elapsedMs(this.#sinceMs, now);
  }
}
