import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateLimits } from '../rate-limits.js';

/** A middleware for Express: `app.use(limitExpress(limits))`. Also for Connect and whatever else calls `next`. */
export function limitExpress(
  limits: RateLimits,
): (req: IncomingMessage, res: ServerResponse, next: () => void) => void {
  return (req, res, next) => {
    limits.check(req, res).then((isAllowed) => {
      // Out of the promise: what the next ones throw is theirs, and must not end as a rejection of ours.
      if (isAllowed) process.nextTick(next);
    });
  };
}
