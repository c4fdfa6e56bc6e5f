import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentRequest } from '../context/index.js';
import { onResponseClose } from '../server/intake/connection-close.js';
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

export interface BatchRouteParts {
  /** How full this gateway is; undefined while nobody knows. */
  readonly own: () => number | undefined;
  readonly onError: (error: unknown) => void;
}

/**
 * From here on batches go slower for the gateway's own sake. Below it has nothing to say: that it is idle tells nothing of
 * the service, of which its pace is found out otherwise when that says nothing itself.
 */
const BUSY_FROM = 0.6;

/** A route for batch jobs: its requests wait for their turn. */
export class BatchRoute {
  /** The one that is asked how full it is: another one when settings change. */
  service: ServiceClient;
  readonly #proxy: BatchProxy;
  readonly #waiting = new WeakMap<IncomingMessage, Waiting>();

  constructor(settings: BatchSettings, service: ServiceClient, { own, onError }: BatchRouteParts) {
    this.service = service;
    const busy = () => {
      const utilization = own() ?? 0;
      return utilization >= BUSY_FROM ? utilization : undefined;
    };
    const utilization = [() => utilizationOf(this.service.client.snapshot()), busy];
    this.#proxy = new BatchProxy(this.#send, { ...batchOptionsOf(settings), utilization, onError });
  }

  /** `release` is called when it has been sent on, or is over. */
  handle(req: IncomingMessage, res: ServerResponse, target: ForwardTarget, release: () => void): void {
    this.#waiting.set(req, { target, release });
    onResponseClose(res, release);
    this.#proxy.handle(req, res);
  }

  readonly #send = (req: IncomingMessage, res: ServerResponse): void => {
    const { target, release } = this.#waiting.get(req)!;
    // Said here: what the guard knows of it is what it was before it came to a batch.
    forward(req, res, { ...target, criticality: currentRequest()?.criticality }, undefined, release);
  };

  snapshot(): BatchSnapshot {
    return this.#proxy.snapshot();
  }

  close(): Promise<void> {
    return this.#proxy.close();
  }
}
