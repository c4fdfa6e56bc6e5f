import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { recordOf } from './request-record.js';

const ENDED = 'plimsoll:client:end';

/** What a client tells of a request that it is done with (docs/client.md), as far as it is of use here. */
interface ClientEnd {
  readonly request: {
    /** Whoever gets the answer; in a gateway it knows whose. */
    readonly handler: { readonly request?: object } | undefined;
    readonly attempts: number;
    readonly lastAttempt:
      | { readonly link: { readonly key: string }; readonly status: number | undefined }
      | undefined;
  };
  readonly error: Error | undefined;
  readonly latencyMs: number;
}

/** Notes which backend has answered a request, and how, until the returned function is called. */
export function followClients(): () => void {
  subscribe(ENDED, onEnd);
  return () => unsubscribe(ENDED, onEnd);
}

/** What a subscriber throws ends the process: nothing here may be taken for granted. */
function onEnd(message: unknown): void {
  const { request, error, latencyMs } = message as ClientEnd;
  const { handler, lastAttempt } = request;
  const asked = handler?.request;
  const record = asked === undefined ? undefined : recordOf(asked);
  if (record === undefined) return;
  // One that found no backend was not sent, and counts as one to whoever asked for it.
  record.attempts = lastAttempt === undefined ? 0 : request.attempts;
  record.backend = lastAttempt?.link.key;
  record.backendStatus = lastAttempt?.status;
  record.backendMs = latencyMs;
  record.error = error;
}
