import { elapsedMs } from '../../core/index.js';
import type { GuardedRequest } from '../guarded-request.js';

/** An answer whose headers are out and that goes on for longer is a stream. */
export const STREAM_MS = 1_000;

/** A body or an answer that does not move is waited for by us for this long, as it would take on any network. */
export const CLIENT_MS = 100;

export function isWaitingForClient({ req, res, hasBody, ticket }: GuardedRequest, now: number): boolean {
  const ranMs = elapsedMs(ticket!.startedMs, now);
  if (ranMs < CLIENT_MS) return false;
  if (hasBody && req?.complete === false) return true;
  return res?.headersSent === true && (res.writableNeedDrain || ranMs > STREAM_MS);
}
