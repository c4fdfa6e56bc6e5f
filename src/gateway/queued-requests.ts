import type { CallOptions } from '../client/index.js';
import type { Perform, PerformedAnswer, QueuedRequest } from '../rate-limit/index.js';
import { PERFORM_BY_DEFAULTS } from '../rate-limit/queueing/index.js';
import { type SentAnswer, sendQueued } from '../rate-limit/queueing/send-queued.js';
import { AnswerHead } from './forwarding/answer-head.js';
import { PROBLEMS } from './forwarding/index.js';
import { RequestHead } from './forwarding/request-head.js';
import { tagRequest } from './forwarding/request-id.js';
import type { Generation } from './generation.js';
import type { LiveRoute } from './live-route.js';
import { type QueuedFacts, readQueuedFacts } from './queued-facts.js';
import { readKnown } from './routing/index.js';

/**
 * Sends a request on whose turn has come: by the route that it was accepted by, as settings have that route now, and with
 * the same head as if it had been sent at once.
 */
export function performQueued(generation: () => Generation): Perform {
  return async (queued, limits) => {
    const facts = readQueuedFacts(queued);
    const current = generation();
    const route = routeOf(current, facts);
    const head = headOf(queued, facts, route);
    const { client, clientName } = route.service;
    const { customer, criticality } = facts;
    const further: CallOptions & { areHeadersFlat: true } = {
      customer,
      criticality,
      timeoutMs: route.timeoutMs,
      areHeadersFlat: true,
    };
    current.hold();
    try {
      const answer = await sendQueued(
        queued,
        {
          // What a client calls its service, so that backends are told what they are always told.
          origin: `http://${clientName}`,
          path: head.path,
          headers: head.headers,
          isFailure: PERFORM_BY_DEFAULTS.isFailure,
          dispatcher: client.dispatcher,
          further,
        },
        limits,
      );
      return passedOn(answer, route);
    } finally {
      current.release();
    }
  };
}

function routeOf({ routes }: Generation, { route: wanted }: QueuedFacts): LiveRoute {
  const route = routes.find(({ name }) => name === wanted);
  if (route === undefined) throw new Error(`there is no route ${JSON.stringify(wanted)} any more`);
  return route;
}

/** What the client said of itself has no more weight than it had then: all that we say is said by us. */
function headOf(
  { method, url, headers, body }: QueuedRequest,
  { address, protocol, requestId }: QueuedFacts,
  route: LiveRoute,
): RequestHead {
  const { name, template, host, requestHeaders, maxBodyBytes } = route;
  const known = readKnown(template, url);
  const path = known === undefined ? undefined : route.askedOf(known);
  if (path === undefined)
    throw new Error(`${url.slice(0, 100)} is no path of route ${JSON.stringify(name)} any more`);
  if (body.byteLength > maxBodyBytes) throw new Error(`its body is longer than ${maxBodyBytes} bytes`);
  const incoming = { method, url, rawHeaders: headers, socket: { remoteAddress: address } };
  if (requestId !== undefined) tagRequest(incoming, requestId);
  const head = new RequestHead();
  const problem = head.read(incoming, { path, host, clientAddress: address, protocol, requestHeaders });
  if (problem !== undefined) throw new Error(`it cannot be sent: ${problem}`);
  return head;
}

/** It has been performed, whatever its answer is like: a client that is there would get the same of one that is none. */
function passedOn(answer: SentAnswer, { answerHeaders: edits }: LiveRoute): PerformedAnswer {
  const head = new AnswerHead();
  const isFaulty = head.read(answer.headers, edits) !== undefined;
  return isFaulty ? PROBLEMS['bad-gateway'] : { ...answer, headers: head.headers };
}
