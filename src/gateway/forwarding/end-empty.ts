import type { IncomingMessage } from 'node:http';

/** Node's own, as far as it is not in the types. */
interface NodeRequest {
  _dumped?: boolean;
  _readableState?: { [flag: string]: unknown };
}

/** What a stream has been through that has ended, and of which everybody has heard. */
const PASSED = ['ended', 'endEmitted', 'destroyed', 'closed', 'closeEmitted'] as const;

/**
 * Ends the stream of a request that has no body, without a word. By itself it would flow, end, be destroyed and close, a
 * tick for each, after every answer, for nobody to hear of it: some 3 µs. Node does the same by `optimizeEmptyRequests`, since
 * version 24.12; with one that keeps its streams otherwise nothing is done. Whoever listens is not cheated of an event.
 */
export function endEmpty(req: IncomingMessage): void {
  const { _dumped: isDumped, _readableState: state } = req as NodeRequest;
  if (isDumped !== false || state === undefined) return;
  if (req.listenerCount('end') > 0 || req.listenerCount('close') > 0) return;
  for (const flag of PASSED) if (typeof state[flag] !== 'boolean') return;
  for (const flag of PASSED) state[flag] = true;
  // Node would read it to its end.
  (req as NodeRequest)._dumped = true;
}
