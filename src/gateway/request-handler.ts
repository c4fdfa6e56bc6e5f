import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestContext } from '../context/index.js';
import type { OverflowQueue } from '../rate-limit/index.js';
import { requestOf } from '../server/intake/guarded-response.js';
import { UNMETERED } from '../wire/index.js';
import { HttpExchange, UpgradeExchange } from './exchanges.js';
import { isLeaving } from './forwarding/lingering.js';
import { GatewayView } from './gateway-view.js';
import type { Generation } from './generation.js';
import type { RequestLog } from './logging/request-log.js';
import { noteStatus } from './logging/request-record.js';
import { answer, answerOn, notFoundProblem } from './problems.js';
import { RecentGatewayRefusals } from './recent-refusals.js';
import { isFound, lookUp } from './routing/index.js';

export interface HandlerParts {
  /** The one that holds now. */
  readonly generation: () => Generation;
  readonly queue: OverflowQueue | undefined;
  /** Where it is told what became of queued requests. */
  readonly statusPath: string;
  /** Each request is one unit of its customer's quota. */
  readonly chargesRequests: boolean;
  readonly onError: (error: unknown) => void;
  /** Undefined: nobody wants to read of requests. */
  readonly log: RequestLog | undefined;
}

/** Requests that the guard has let in, on their way to a route. */
export class RequestHandler {
  readonly #parts: HandlerParts;
  /** Requests without a route, so far. */
  unrouted = 0;
  /** Some of the requests that were refused here, and why. */
  readonly refusals = new RecentGatewayRefusals();

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  readonly handle = (req: IncomingMessage, res: ServerResponse): void => {
    const { generation, queue, statusPath, chargesRequests, onError, log } = this.#parts;
    // Nothing that follows the rest of a body that was not wanted is a request.
    if (isLeaving(req.socket)) return;
    if (queue !== undefined && req.url?.startsWith(`${statusPath}/`) === true) {
      this.#answerStatus(queue, req, res);
      return;
    }
    if (chargesRequests) requestOf(res)?.charge(1);
    const current = generation();
    const view = new GatewayView(req);
    const found = lookUp(current.table, view);
    log?.begin(req, res, current, isFound(found) ? found.route : undefined);
    if (isFound(found)) {
      new HttpExchange(current, found, view, req, onError, this.refusals, res).start();
    } else {
      this.#noRoute(requestOf(res));
      answer(req, res, notFoundProblem(found, req.method));
    }
  };

  readonly upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Node listens to it no longer, and it may break while somebody is asked about it.
    socket.on('error', () => {});
    const { generation, chargesRequests, onError, log } = this.#parts;
    const served = requestOf(socket);
    if (chargesRequests) served?.charge(1);
    const current = generation();
    const view = new GatewayView(req);
    const found = lookUp(current.table, view);
    log?.beginUpgrade(req, socket, current, isFound(found) ? found.route : undefined);
    if (isFound(found)) {
      new UpgradeExchange([current, found, view, req, onError, this.refusals], socket, head).start();
    } else {
      this.#noRoute(served);
      const problem = notFoundProblem(found, req.method);
      noteStatus(req, problem.status);
      answerOn(socket, problem);
    }
  };

  #noRoute(served: RequestContext | undefined): void {
    this.unrouted++;
    if (!this.refusals.isWanted('no-route')) return;
    const customer = served?.customer === UNMETERED ? undefined : served?.customer;
    this.refusals.add({ reason: 'no-route', customer, criticality: served?.criticality });
  }

  #answerStatus(queue: OverflowQueue, req: IncomingMessage, res: ServerResponse): void {
    queue.handleStatus(req, res).then(
      (isAnswered) => {
        if (!isAnswered) answer(req, res, notFoundProblem('not-found', req.method));
      },
      (error: unknown) => {
        this.#parts.onError(error);
        res.destroy();
      },
    );
  }
}
