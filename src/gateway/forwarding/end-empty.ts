import type { IncomingMessage } from 'node:http';

/** Node's own, as far as it is not in the types: what a stream has been through. */
interface StreamState {
  ended: boolean;
  endEmitted: boolean;
  destroyed: boolean;
  closed: boolean;
  closeEmitted: boolean;
}

interface NodeRequest {
  _dumped?: boolean;
  _readableState?: StreamState;
}

/**
 * Ends the stream of a request that has no body, without a word. By itself it would flow, end, be destroyed and close, a
 * tick for each, after every answer, for nobody to hear of it: some 3 µs. Node does the same by `optimizeEmptyRequests`, since
 * version 24.12; with one that keeps its streams otherwise nothing is done. Whoever listens is not cheated of an event.
 */
export function endEmpty(req: IncomingMessage): void {
  const { _dumped: isDumped, _readableState: state } = req as NodeRequest;
  if (isDumped !== false || state === undefined || !isKnown(state)) return;
  if (req.listenerCount('end') > 0 || req.listenerCount('close') > 0) return;
  // One by one: by names in a list they would be looked up anew each time.
  state.ended = true;
  state.endEmitted = true;
  state.destroyed = true;
  state.closed = true;
  state.closeEmitted = true;
  // Node would read it to its end.
  (req as NodeRequest)._dumped = true;
}

function isKnown({ ended, endEmitted, destroyed, closed, closeEmitted }: StreamState): boolean {
  return (
    typeof ended === 'boolean' &&
    typeof endEmitted === 'boolean' &&
    typeof destroyed === 'boolean' &&
    typeof closed === 'boolean' &&
    typeof closeEmitted === 'boolean'
  );
}
