import type { IncomingMessage } from 'node:http';
import { elapsedMs } from '../../core/index.js';
import { UNMETERED } from '../../wire/index.js';
import { isNamed } from '../../wire/text.js';
import { traceIdOf } from '../../wire/trace-parent.js';
import { ANONYMOUS } from '../gateway-view.js';
import { loggedName, loggedPath } from './plain-text.js';
import { errorCodeOf } from './reasons.js';
import type { RequestRecord } from './request-record.js';

/** What a line tells of a request that is over. */
export function requestFields(
  record: RequestRecord,
  status: number | undefined,
  reason: string | undefined,
  { withQuery, now }: { readonly withQuery: boolean; readonly now: number },
): object {
  const { req, route, guarded, generation, arrivedMs, beganMs, backendMs, limit, backend, peer } = record;
  const { proxies } = generation;
  const early = guarded?.customer === UNMETERED ? ANONYMOUS : guarded?.customer;
  const customer = record.customer ?? early;
  const address = proxies.isNone ? peer : proxies.addressOf(peer, req);
  return {
    id: record.id,
    trace: record.traceId,
    method: req.method,
    // Where a route was found, it says more.
    host: route === undefined ? hostOf(req) : undefined,
    path: loggedPath(req.url ?? '', withQuery),
    status,
    reason,
    limit: limit === '' ? undefined : limit,
    error: errorCodeOf(record.error),
    route: route?.name,
    service: route?.service.name,
    backend,
    attempts: record.attempts,
    criticality: guarded?.criticality,
    customer: customer === undefined ? undefined : loggedName(customer),
    ms: rounded(elapsedMs(arrivedMs, now)),
    queueMs: rounded(elapsedMs(arrivedMs, beganMs)),
    backendMs: backendMs === undefined ? undefined : rounded(backendMs),
    ...bytesOf(req),
    client: shownAddress(address),
    protocol: `HTTP/${req.httpVersion}`,
  };
}

/** A port for both families says of an IPv4 address that it is mapped (RFC 4291, 2.5.5.2); it is looked for without that. */
export function shownAddress(address: string | undefined): string | undefined {
  return address?.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** Thousandths: microseconds. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

function hostOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | undefined {
  const host = headerIn(rawHeaders, 'host');
  return host === undefined ? undefined : loggedName(host);
}

/** The first header of this name, which is in lower case. */
export function headerIn(rawHeaders: readonly string[], name: string): string | undefined {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i]!;
    if (sent.length === name.length && isNamed(sent, name)) return rawHeaders[i + 1];
  }
  return undefined;
}

export function traceIn(rawHeaders: readonly string[]): string | undefined {
  const said = headerIn(rawHeaders, 'traceparent');
  return said === undefined ? undefined : traceIdOf(said);
}

const READ = Symbol('plimsoll.read');
const WRITTEN = Symbol('plimsoll.written');

interface CountedSocket {
  readonly bytesRead?: number;
  readonly bytesWritten?: number;
  [READ]?: number;
  [WRITTEN]?: number;
}

/** What has gone over the connection since the request before it, heads included. */
export function bytesOf({ socket }: { readonly socket: object }): { bytesIn?: number; bytesOut?: number } {
  const counted = socket as CountedSocket;
  const { bytesRead, bytesWritten } = counted;
  const before = counted[READ] ?? 0;
  const written = counted[WRITTEN] ?? 0;
  counted[READ] = bytesRead ?? 0;
  counted[WRITTEN] = bytesWritten ?? 0;
  return {
    ...(bytesRead === undefined ? {} : { bytesIn: bytesRead - before }),
    ...(bytesWritten === undefined ? {} : { bytesOut: bytesWritten - written }),
  };
}
