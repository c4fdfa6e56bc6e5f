import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentRequest } from '../context/index.js';
import { BatchProxy, type BatchSnapshot, utilizationOf } from './batch/index.js';
import { batchOptionsOf } from './batch-options.js';
import { type ForwardTarget, forward } from './forwarding/index.js';
import type { ServiceClient } from './services/index.js';
import type { BatchSettings } from './settings/index.js';

interface Waiting {
  readonly target: ForwardTarget;
  /** It needs its generation no longer. */
  readonly release: () => void;
}

/** A route for batch jobs: its requests wait for their turn. */
export class BatchRoute {
  /** The one that is asked how full it is: another one when settings change. */
  service: ServiceClient;
  readonly #proxy: BatchProxy;
  readonly #waiting = new WeakMap<IncomingMessage, Waiting>();

  constructor(settings: BatchSettings, service: ServiceClient, onError: (error: unknown) => void) {
    this.service = service;
    const utilization = [() => utilizationOf(this.service.client.snapshot())];
    this.#proxy = new BatchProxy(this.#send, { ...batchOptionsOf(settings), utilization, onError });
  }

  /** `release` is called when it has been sent on, or is over. */
  handle(req: IncomingMessage, res: ServerResponse, target: ForwardTarget, release: () => void): void {
    this.#waiting.set(req, { target, release });
    res.once('close', release);
    // Behind others on its connection a response hears of nothing.
    req.socket.once('close', release);
    this.#proxy.handle(req, res);
  }

  readonly #send = (req: IncomingMessage, res: ServerResponse): void => {
    const { target, release } = this.#waiting.get(req)!;
    req.socket.off('close', release);
    // Said here: what the guard knows of it is what it was before it came to a batch.
    forward(req, res, { ...target, criticality: currentRequest()?.criticality });
    release();
  };

  snapshot(): BatchSnapshot {
    return this.#proxy.snapshot();
  }

  close(): Promise<void> {
    return this.#proxy.close();
  }
}
