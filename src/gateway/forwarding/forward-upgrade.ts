import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { enterRequest } from '../../context/index.js';
import { REQUEST, requestOf } from '../../server/intake/guarded-response.js';
import { noteStatus } from '../logging/request-record.js';
import type { ForwardTarget } from './forward-target.js';
import { ForwardedAnswer } from './forwarded-answer.js';
import { PROBLEMS } from './problem.js';
import { RequestHead } from './request-head.js';
import { upgradeProtocol } from './upgrade-protocol.js';
import { UpgradedAnswer } from './upgraded-answer.js';

/**
 * Sends a request for another protocol on, such as WebSocket, and joins the two connections when the backend agrees. Its
 * connection ends with any other answer. To speak another HTTP with a backend past us is not passed on: such a request is
 * answered as if it had not asked (RFC 9110, 7.8). Never throws.
 */
export function forwardUpgrade(
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  target: ForwardTarget,
): void {
  socket.on('error', () => {});
  if (socket.destroyed) return;
  const res = responseOn(req, socket as Socket);
  const protocol = upgradeProtocol(req);
  const { answerHeaders: edits, sender } = target;
  const answer =
    protocol === undefined
      ? new ForwardedAnswer(req, res, edits, undefined, sender)
      : new UpgradedAnswer(req, res, edits, protocol, sender);
  try {
    if (head.length > 0) socket.unshift(head);
    const served = requestOf(socket);
    const sendNow = () => send(req, target, protocol, answer);
    if (served === undefined) sendNow();
    else enterRequest(served, sendNow, undefined, undefined);
  } catch (error) {
    answer.onError(error as Error);
  }
}

/** Node makes none for a request that it hands over with its connection. */
function responseOn(req: IncomingMessage, socket: Socket): ServerResponse {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  // Whose answer it is: it is part of the request that the guard knows, with its deadline, like any other.
  (res as { [REQUEST]?: unknown })[REQUEST] = requestOf(socket);
  res.assignSocket(socket);
  // Node's own has left with its parser, and whoever writes would wait for ever.
  const onDrain = () => res.emit('drain');
  socket.on('drain', onDrain);
  res.on('finish', () => {
    noteStatus(req, res.statusCode);
    socket.off('drain', onDrain);
    res.detachSocket(socket);
    // Nobody reads it, and a connection that is closed with data unread is reset.
    socket.resume();
    socket.end();
  });
  return res;
}

function send(
  req: IncomingMessage,
  target: ForwardTarget,
  upgrade: string | undefined,
  answer: ForwardedAnswer,
): void {
  const head = new RequestHead();
  const problem = head.read(req, target);
  if (problem !== undefined) answer.answer(PROBLEMS[problem]);
  // Where its body ends nobody has looked: the backend would take the rest for words of the new protocol.
  else if (head.hasBody || head.path === '*') answer.answer(PROBLEMS['bad-request']);
  else {
    const { client, criticality, customer, timeoutMs } = target;
    const { path, headers } = head;
    const { method } = req;
    const options = { path, method, headers, body: null, upgrade, criticality, customer, timeoutMs };
    client.dispatcher.dispatch(
      options as unknown as Dispatcher.DispatchOptions,
      answer as unknown as Dispatcher.DispatchHandler,
    );
  }
}
