import type { Exchange } from './exchange.js';
import { refuseLate } from './refusing/refuse-late.js';
import { silence } from './refusing/silence.js';
import { isWaitingForClient } from './running/waits-for-client.js';

/** One for all: what differs is in the request, which has its `req` and `res`. */
export const HTTP_EXCHANGE: Exchange = Object.freeze<Exchange>({
  refuse(request, name) {
    refuseLate(request, name, request.isCloseNeeded && !request.req!.complete);
  },
  bind(request, meter) {
    // Chunks of a body come from the parser, which belongs to the connection.
    if (request.hasBody) meter.bindEvents(request.req!, request);
  },
  isError: ({ res }) => res!.statusCode >= 500,
  isWaitingForClient,
  cutOff(request) {
    const { res } = request;
    if (res?.headersSent) res.destroy();
    else if (res !== undefined) {
      refuseLate(request, 'not-ready', true);
      silence(res);
    }
  },
});
