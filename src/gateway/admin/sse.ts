/** One message of a stream of events (WHATWG HTML, 9.2). `data` is JSON, so it has no line of its own to end. */
export function sseMessage(event: string, id: string, data: string): string {
  return `event: ${event}\nid: ${id}\ndata: ${data}\n\n`;
}

/** What browsers wait before they come again, in ms: a restart takes a second or two. */
export const SSE_BEGIN = 'retry: 2000\n\n';

/** Says that somebody is still there; no reader is shown it. */
export const SSE_HEARTBEAT = ': \n\n';
