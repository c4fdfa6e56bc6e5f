import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BatchPlace, Criticality, Outcome } from '../../core/index.js';
import { elapsedMs } from '../../core/index.js';

/** A client may be this slow without being called so: any network is at times. */
const PATIENCE_MS = 1_000;

/** One request on its way through the proxy. */
export class BatchRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly criticality: Criticality;
  /** What is done for it later is done in the async context it came in with: else every tracer breaks. */
  readonly resource = new AsyncResource('PLIMSOLL_BATCH_REQUEST');
  place: BatchPlace<BatchRequest> | undefined = undefined;
  startedMs = 0;
  /** It waits for its client, and does not count as under way any more. */
  isSlow = false;

  constructor(req: IncomingMessage, res: ServerResponse, criticality: Criticality) {
    this.req = req;
    this.res = res;
    this.criticality = criticality;
  }

  /** Only its client keeps it from ending: its body does not come, or its answer is not read. */
  isHeldUpByClient(now: number): boolean {
    const { req, res } = this;
    if (elapsedMs(this.startedMs, now) < PATIENCE_MS) return false;
    return res.writableNeedDrain || (!req.complete && req.readableLength === 0);
  }
}

/** What an answer says of the service, when nobody has said more: headers that would tell are not passed on to clients. */
export function outcomeOfResponse({ statusCode, writableFinished }: ServerResponse): Outcome {
  if (!writableFinished) return 'aborted';
  if (statusCode < 500) return statusCode === 429 ? 'limited' : 'answered';
  // From a gateway 502 and 504 are about backends that do not answer, and 503 is a refusal, whoever says so.
  if (statusCode === 503) return 'task-overloaded';
  return statusCode === 502 || statusCode === 504 ? 'broken' : 'failed';
}
