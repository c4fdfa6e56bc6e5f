import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GuardedRequest } from '../../server/guarded-request.js';
import { onResponseClose } from '../../server/intake/connection-close.js';
import { requestOf } from '../../server/intake/guarded-response.js';
import { heedless } from '../../stores/redis/heedless.js';
import { tagRequest } from '../forwarding/request-id.js';
import type { Generation } from '../generation.js';
import type { LiveRoute } from '../live-route.js';
import type { Lines, LogLevel } from './lines.js';
import { reasonOf } from './reasons.js';
import type { RefusalSums } from './refusal-sums.js';
import { bytesOf, headerIn, requestFields, traceIn } from './request-fields.js';
import { isSaneId, type RequestIds } from './request-ids.js';
import { RequestRecord, recordOf } from './request-record.js';

export interface RequestLogOptions {
  /** The share of requests that go well which have a line. */
  readonly sample: number;
  readonly query: boolean;
  /** Whether backends and clients are told by what a request is found. */
  readonly requestId: boolean;
}

export interface RequestLogParts {
  readonly lines: Lines;
  readonly ids: RequestIds;
  readonly sums: RefusalSums;
  /** Something was added up, and is to be told of soon. */
  readonly onSummed: () => void;
  readonly random: () => number;
}

/** A line for each request that was let in, at its end. */
export class RequestLog {
  readonly #options: RequestLogOptions;
  readonly #parts: RequestLogParts;
  /** Of the guard that lets requests in here. */
  #door: object | undefined = undefined;
  #isCut: () => boolean = () => false;

  constructor(options: RequestLogOptions, parts: RequestLogParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** `isCut`: whether the gateway ends what is left, and is not left by clients. */
  follow(isCut: () => boolean): void {
    this.#isCut = isCut;
  }

  begin(
    req: IncomingMessage,
    res: ServerResponse,
    generation: Generation,
    route: LiveRoute | undefined,
  ): void {
    const guarded = requestOf(res);
    this.#door ??= guarded?.connection.door;
    this.#note(req, generation, route, guarded, guarded?.connection.isTrusted === true);
    onResponseClose(res, () => {
      // What whoever left has had of a backend is known when that was told so, which is done next.
      if (res.writableFinished) heedless(() => this.#end(req, res));
      else setImmediate(() => heedless(() => this.#end(req, res)));
    });
  }

  /** A process may have other guards. Before it has let one in, ours is taken for the only one. */
  isOurs({ connection }: GuardedRequest): boolean {
    return this.#door === undefined || this.#door === connection.door;
  }

  /** Its line comes with the end of its connection. */
  beginUpgrade(
    req: IncomingMessage,
    socket: Duplex,
    generation: Generation,
    route: LiveRoute | undefined,
  ): void {
    const record = this.#note(
      req,
      generation,
      route,
      requestOf(socket),
      generation.isTrustedCaller(req.socket.remoteAddress),
    );
    socket.on('close', () => heedless(() => this.#write(record, upgradeStatus(record), true)));
  }

  #note(
    req: IncomingMessage,
    generation: Generation,
    route: LiveRoute | undefined,
    guarded: GuardedRequest | undefined,
    isTrusted: boolean,
  ): RequestRecord {
    const { rawHeaders } = req;
    const said = isTrusted ? headerIn(rawHeaders, 'x-request-id') : undefined;
    const id = isSaneId(said) ? said : this.#parts.ids.next();
    if (this.#options.requestId) tagRequest(req, id);
    return new RequestRecord(req, generation, route, guarded, id, traceIn(rawHeaders), performance.now());
  }

  #end(req: IncomingMessage, res: ServerResponse): void {
    this.#write(recordOf(req)!, res.headersSent ? res.statusCode : undefined, res.writableFinished);
  }

  #write(record: RequestRecord, status: number | undefined, isWhole: boolean): void {
    const { lines } = this.#parts;
    const { route, attempts, error, limit } = record;
    const isBatch = route?.batch !== undefined;
    const isCut = this.#isCut();
    const reason = reasonOf({ status, isWhole, isBatch, isCut, attempts, error, limit });
    const level = levelOf(status, reason, attempts);
    const now = performance.now();
    if (!lines.isOn(level) || !this.#isWanted(record, status, reason, now)) {
      // Those of the next request are its own.
      bytesOf(record.req);
      return;
    }
    const fields = requestFields(record, status, reason, { withQuery: this.#options.query, now });
    lines.write(level, isRefusal(status, reason, attempts) ? 'refused' : 'request', fields);
  }

  #isWanted(
    { route, guarded, attempts }: RequestRecord,
    status: number | undefined,
    reason: string | undefined,
    now: number,
  ): boolean {
    const { sums, onSummed, random } = this.#parts;
    const { sample } = this.#options;
    if (isRefusal(status, reason, attempts)) {
      const isAdmitted = sums.admit(reason!, route?.name ?? '', guarded?.criticality ?? '', now);
      if (!isAdmitted) onSummed();
      return isAdmitted;
    }
    const isFine = reason === undefined && status !== undefined && status < 400;
    return !isFine || sample === 1 || random() < sample;
  }
}

/** Answered here, and by no backend. */
function isRefusal(status: number | undefined, reason: string | undefined, attempts: number): boolean {
  return reason !== undefined && attempts === 0 && status !== undefined && status >= 400;
}

/** `error`: somebody should look at it. `warn`: there is too much to do, or nobody to do it. */
function levelOf(status: number | undefined, reason: string | undefined, attempts: number): LogLevel {
  if (status === undefined || status < 500) return reason === 'backend-failed' ? 'error' : 'info';
  return isRefusal(status, reason, attempts) && status !== 500 ? 'warn' : 'error';
}

/** Undefined: nobody has answered it, neither here nor at its service. */
function upgradeStatus({ status, error, attempts, backendStatus }: RequestRecord): number | undefined {
  return status ?? backendStatus ?? (attempts > 0 && error === undefined ? 101 : undefined);
}
