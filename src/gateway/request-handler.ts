import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { OverflowQueue } from '../rate-limit/index.js';
import { viewOf } from '../rate-limit/rules/request-view.js';
import { requestOf } from '../server/intake/guarded-response.js';
import { HttpExchange, UpgradeExchange } from './exchanges.js';
import { isLeaving } from './forwarding/lingering.js';
import type { Generation } from './generation.js';
import { answer, answerOn, notFoundProblem } from './problems.js';
import { isFound, lookUp } from './routing/index.js';

export interface HandlerParts {
  /** The one that holds now. */
  readonly generation: () => Generation;
  readonly queue: OverflowQueue | undefined;
  /** Where it is told what became of queued requests. */
  readonly statusPath: string;
  /** Each request is one unit of its customer's quota. */
  readonly chargesRequests: boolean;
  /** Whose request it is, for copies of answers. */
  readonly keepCustomer: (req: IncomingMessage, customer: string | undefined) => void;
  readonly onError: (error: unknown) => void;
}

/** Requests that the guard has let in, on their way to a route. */
export class RequestHandler {
  readonly #parts: HandlerParts;
  /** Requests without a route, so far. */
  unrouted = 0;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  readonly handle = (req: IncomingMessage, res: ServerResponse): void => {
    const { generation, queue, statusPath, chargesRequests, keepCustomer, onError } = this.#parts;
    // Nothing that follows the rest of a body that was not wanted is a request.
    if (isLeaving(req.socket)) return;
    if (queue !== undefined && req.url?.startsWith(`${statusPath}/`) === true) {
      this.#answerStatus(queue, req, res);
      return;
    }
    if (chargesRequests) requestOf(res)?.charge(1);
    const current = generation();
    const view = viewOf(req);
    const found = lookUp(current.table, view);
    if (isFound(found)) {
      const keep = (customer: string | undefined) => keepCustomer(req, customer);
      new HttpExchange([current, found, view, req, onError], res, keep).start();
    } else {
      this.unrouted++;
      answer(req, res, notFoundProblem(found, req.method));
    }
  };

  readonly upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const { generation, onError } = this.#parts;
    const current = generation();
    const view = viewOf(req);
    const found = lookUp(current.table, view);
    if (isFound(found)) {
      const isTrusted = current.isTrustedCaller(req.socket.remoteAddress);
      new UpgradeExchange([current, found, view, req, onError], socket, head, isTrusted).start();
    } else {
      this.unrouted++;
      answerOn(socket, notFoundProblem(found, req.method));
    }
  };

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
