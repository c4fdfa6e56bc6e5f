import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Sending as Sent } from '../../client/dispatch/sending.js';
import { enterRequest } from '../../context/index.js';
import { isClientGone } from '../../server/intake/connection-close.js';
import { requestOf } from '../../server/intake/guarded-response.js';
import { endEmpty } from './end-empty.js';
import type { ForwardTarget } from './forward-target.js';
import { ForwardedAnswer } from './forwarded-answer.js';
import { isLeaving } from './lingering.js';
import { PROBLEMS, problemOf } from './problem.js';
import { collectBody, StreamedBody } from './request-body.js';
import { RequestHead } from './request-head.js';

/**
 * Bodies of a known length up to this are read before they are sent: a backend is not kept waiting by a slow client, and
 * it can be sent again. As much as a client keeps of one for that (RETRY_DEFAULTS).
 */
const MOST_COLLECTED_BYTES = 65_536;

/** To what nobody is asked for (RFC 9110, 9.3.7): the server as a whole. */
const OPTIONS_ANSWER = Object.freeze({ status: 200, headers: ['content-length', '0'], body: '' });

/**
 * Sends a request on to a service, and its answer back. Never throws: whatever happens, the client is answered or its
 * connection ended. `headers`: a flat list for the answer, whatever it is, such as what a rate limit says of itself.
 * `onSent`: the client of the service has it, or will never get it; that may be when its body has come. Perhaps told twice.
 */
export function forward(
  req: IncomingMessage,
  res: ServerResponse,
  target: ForwardTarget,
  headers?: readonly string[],
  onSent: () => void = ignore,
): void {
  if (isLeaving(req.socket) || isClientGone(req, res)) {
    onSent();
    return;
  }
  const answer = new ForwardedAnswer(req, res, target.answerHeaders, headers, target.sender);
  let isLater = false;
  try {
    isLater = send(req, res, target, answer, onSent);
  } catch (error) {
    answer.onError(error as Error);
  }
  if (!isLater) onSent();
}

function ignore(): void {}

/** True: it waits for its body, and `onSent` is told then. */
function send(
  req: IncomingMessage,
  res: ServerResponse,
  target: ForwardTarget,
  answer: ForwardedAnswer,
  onSent: () => void,
): boolean {
  const head = new RequestHead();
  const problem = head.read(req, target);
  if (problem !== undefined) {
    answer.answer(PROBLEMS[problem]);
    return false;
  }
  answer.hasBody = head.hasBody;
  if (head.path === '*') {
    answer.answer(req.method === 'OPTIONS' ? OPTIONS_ANSWER : PROBLEMS['bad-request']);
    return false;
  }
  const most = target.maxBodyBytes ?? Number.POSITIVE_INFINITY;
  if ((head.contentLength ?? 0) > most) {
    answer.answer(PROBLEMS['too-large']);
    return false;
  }
  const sending: Sending = { req, res, target, head, answer, body: null };
  if (head.hasBody) return sendBody(sending, most, onSent);
  endEmpty(req);
  dispatch(sending);
  return false;
}

/** By itself: what waits for a body has to be remembered, and most requests have none. */
function sendBody(sending: Sending, most: number, onSent: () => void): boolean {
  const { req, res, head, answer } = sending;
  const later = (body: Buffer | StreamedBody) => {
    if (!answer.isOver) dispatch({ ...sending, body });
    onSent();
  };
  if (!head.isChunked && (head.contentLength ?? 0) <= MOST_COLLECTED_BYTES) {
    sayContinue(head, res);
    collectBody(req, later);
  } else {
    const body = new StreamedBody(req, most, () => sayContinue(head, res));
    if (head.expectsContinue || isTwoWay(req)) {
      dispatch({ ...sending, body });
      return false;
    }
    // Who sends nothing keeps no place at a backend.
    body.whenBegun(() => later(body));
  }
  // Cut off before that, or all of it read: whichever it is, nothing is sent after it.
  req.once('close', onSent);
  return true;
}

/** A call of gRPC may wait to be answered before it says anything. */
function isTwoWay(req: IncomingMessage & { readonly isGrpc?: boolean }): boolean {
  return req.isGrpc === true;
}

/** A client that waits for word to send its body gets it when the body is wanted, and not when it was told already. */
function sayContinue({ expectsContinue }: RequestHead, res: ServerResponse): void {
  const { _sent100: wasSaid } = res as { _sent100?: boolean };
  if (expectsContinue && wasSaid !== true && !res.headersSent) res.writeContinue();
}

interface Sending {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly target: ForwardTarget;
  readonly head: RequestHead;
  readonly answer: ForwardedAnswer;
  readonly body: Buffer | StreamedBody | null;
}

/**
 * As part of the request that the guard knows, so that its criticality, customer and deadline go on: also from a place
 * that async context does not reach, or when it is kept up nowhere.
 */
function dispatch(sending: Sending): void {
  const served = requestOf(sending.res);
  if (served === undefined) dispatchNow(sending);
  else enterRequest(served, dispatchNow, sending, undefined);
}

function dispatchNow({ req, target, head, answer, body }: Sending): void {
  const { client, criticality, customer, timeoutMs, idempotent } = target;
  const { path, headers } = head;
  const { method } = req;
  const options: Sent = {
    path,
    method: method!,
    headers,
    areHeadersFlat: true,
    body,
    criticality,
    customer,
    timeoutMs,
    idempotent,
  };
  try {
    client.dispatcher.dispatch(
      options as unknown as Dispatcher.DispatchOptions,
      answer as unknown as Dispatcher.DispatchHandler,
    );
  } catch (error) {
    answer.answer(problemOf(error as Error));
  }
}
