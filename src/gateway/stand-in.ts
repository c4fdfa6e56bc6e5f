import type { IncomingMessage } from 'node:http';
import type { GuardedRequest } from '../server/guarded-request.js';
import type { RequestHead } from '../server/index.js';
import type { StandIn } from '../server/stale/refused-copies.js';
import { RequestFacts, readRequestHeaders, UNMETERED } from '../wire/index.js';
import { ANONYMOUS, GatewayView } from './gateway-view.js';
import type { Generation } from './generation.js';
import { isFound, lookUp } from './routing/index.js';

/** Old answers of routes for what the guard refuses (SRE ch. 21: an error only when even that is too much). */
export class StaleStandIn implements StandIn {
  readonly #generation: () => Generation;
  readonly #lastHead: () => RequestHead | undefined;

  /** `lastHead`: of the request that is being decided on. */
  constructor(generation: () => Generation, lastHead: () => RequestHead | undefined) {
    this.#generation = generation;
    this.#lastHead = lastHead;
  }

  /** A refusal is to stay cheap: a route is looked for where there are any with copies. */
  mayServe({ refusal }: GuardedRequest): boolean {
    const { keepsCopies, table } = this.#generation();
    const head = this.#lastHead();
    // Who is over a quota has had its share, and is not given that of others by other means.
    if (!keepsCopies || head === undefined || refusal?.reason === 'quota') return false;
    const found = lookUp(table, head);
    return isFound(found) && found.route.stale?.hasCopies === true;
  }

  serve(request: GuardedRequest, nowMs: number): boolean {
    const generation = this.#generation();
    if (!generation.keepsCopies || request.refusal?.reason === 'quota') return false;
    const { req, res } = request;
    const view = new GatewayView(req!);
    const found = lookUp(generation.table, view);
    if (!isFound(found) || found.route.stale?.hasCopies !== true) return false;
    const { stale, mustBeKnown, counts } = found.route;
    const customer = customerOf(request, view, generation);
    if (customer === undefined || (mustBeKnown && customer === ANONYMOUS)) return false;
    const isServed = stale.serve(req!, res!, customer, nowMs);
    if (isServed) counts.staleServed++;
    return isServed;
  }
}

/** Whose copies it may have; undefined where that takes more than a look, such as at a token that is new. */
function customerOf(
  { customer, connection }: GuardedRequest,
  view: GatewayView,
  { identity }: Generation,
): string | undefined {
  if (customer !== UNMETERED && customer !== ANONYMOUS) return customer;
  const { socket } = view.incoming;
  const header = (name: string) => view.header(name);
  const known = identity.early({ header, remoteAddress: socket.remoteAddress, socket });
  if (known !== undefined) return known.customer;
  if (identity.hasToken(header)) return undefined;
  return (connection.isTrusted ? toldBy(view.incoming) : undefined) ?? ANONYMOUS;
}

function toldBy({ rawHeaders }: IncomingMessage): string | undefined {
  const facts = new RequestFacts();
  readRequestHeaders(rawHeaders, facts);
  return facts.customer;
}
