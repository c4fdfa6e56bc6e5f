import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { elapsedMs, type Refusal } from '../../core/index.js';
import type { GuardedRequest } from '../../server/guarded-request.js';
import { heedless } from '../../stores/redis/heedless.js';
import { ANSWERS, answerName } from '../../wire/index.js';
import { GatewayView } from '../gateway-view.js';
import type { Generation } from '../generation.js';
import type { LiveRoute } from '../live-route.js';
import { isFound, lookUp } from '../routing/index.js';
import type { Lines } from './lines.js';
import { loggedName, loggedPath } from './plain-text.js';
import type { RefusalSums } from './refusal-sums.js';
import { shownAddress, traceIn } from './request-fields.js';

const REFUSED = 'plimsoll:server:refused';

/** The head of a request, as far as routes and lines go by it. */
export interface RefusedHead {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  header(name: string): string | undefined;
}

export interface RefusedParts {
  readonly lines: Lines;
  readonly sums: RefusalSums;
  readonly onSummed: () => void;
  readonly withQuery: boolean;
  readonly generation: () => Generation;
  /** The head that the guard has read last. */
  readonly lastHead: () => RefusedHead | undefined;
  /** A process may have other guards. */
  readonly isOurs: (request: GuardedRequest) => boolean;
}

interface RefusedMessage {
  readonly request: GuardedRequest;
  readonly refusal: Refusal;
  readonly isOnlyReported: boolean;
}

/** Lines, or sums, of requests that the guard has refused; until the returned function is called. */
export function followRefusals(parts: RefusedParts): () => void {
  const { sums, onSummed, lines } = parts;
  const tell = (message: unknown) => {
    const { request, refusal, isOnlyReported } = message as RefusedMessage;
    // What is only reported is served, and has a line as such.
    if (isOnlyReported || !lines.isOn('warn') || !parts.isOurs(request)) return;
    const now = performance.now();
    const head = headOf(request, parts);
    const route = routeOf(head, parts.generation());
    if (sums.admit(refusal.reason, route?.name ?? '', request.criticality, now))
      lines.write('warn', 'refused', fieldsOf(request, refusal, head, route, parts.withQuery, now));
    else onSummed();
  };
  // What a subscriber throws ends the process.
  const listener = (message: unknown) => heedless(() => tell(message));
  subscribe(REFUSED, listener);
  return () => unsubscribe(REFUSED, listener);
}

/** One that was refused at once is the last that was read; one that has waited is a request of Node's. */
function headOf({ req }: GuardedRequest, { lastHead }: RefusedParts): RefusedHead | undefined {
  return req === undefined ? lastHead() : headed(req);
}

function headed(req: IncomingMessage): RefusedHead {
  const view = new GatewayView(req);
  const { method, url } = view;
  return { method, url, rawHeaders: req.rawHeaders, header: (name) => view.header(name) };
}

function routeOf(head: RefusedHead | undefined, { table }: Generation): LiveRoute | undefined {
  const found = head === undefined ? undefined : lookUp(table, head);
  return found !== undefined && isFound(found) ? found.route : undefined;
}

function fieldsOf(
  { criticality, customer, connection, arrivedMs }: GuardedRequest,
  refusal: Refusal,
  head: RefusedHead | undefined,
  route: LiveRoute | undefined,
  withQuery: boolean,
  now: number,
): object {
  return {
    trace: head === undefined ? undefined : traceIn(head.rawHeaders),
    method: head?.method,
    path: head === undefined ? undefined : loggedPath(head.url, withQuery),
    // What may be answered from a copy is so, or not, after this.
    status: route?.stale?.hasCopies === true ? undefined : ANSWERS[answerName(refusal)].status,
    reason: refusal.reason,
    route: route?.name,
    service: route?.service.name,
    attempts: 0,
    criticality,
    customer: loggedName(customer),
    ms: Math.round(elapsedMs(arrivedMs, now) * 1_000) / 1_000,
    client: shownAddress(connection.remoteAddress),
  };
}
