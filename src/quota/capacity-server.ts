import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CapacitySnapshot } from '../core/index.js';
import { HTTP_PROTOCOLS } from './capacity-address.js';
import { type CapacityAnswer, type CapacityCounts, CapacityDesk } from './capacity-desk.js';
import { type CapacityAction, MASTER_HEADER, readCapacityPath } from './capacity-path.js';
import { type CapacityServerSettings, checkServerSettings } from './capacity-server-options.js';
import { type Bound, Listener, type ListenOptions } from './listener.js';
import { readBody } from './read-body.js';

/** Whether a server hands out, and what it has handed out. */
export interface CapacityServerSnapshot {
  readonly isMaster: boolean;
  /** Of the term, greater than that of all terms before. undefined without mastership. */
  readonly token: number | undefined;
  /** Empty while it is not master. */
  readonly resources: Readonly<Record<string, CapacitySnapshot>>;
  readonly counts: Readonly<CapacityCounts>;
}

/** Hands out capacity by HTTP, for a time: `POST /capacity/<resource>/ask` and `…/release`. */
export class CapacityServer {
  /** For whoever brings messages in another way. */
  readonly desk: CapacityDesk;
  readonly #settings: CapacityServerSettings;
  readonly #listener = new Listener((req, res) => void this.#serve(req, res));
  #bodies = 0;
  #isClosed = false;

  constructor(given: Partial<CapacityServerSettings>) {
    this.#settings = checkServerSettings(given);
    this.desk = new CapacityDesk(this.#settings);
  }

  /** Answers if it is for this server: false otherwise. Never rejects. */
  async handle(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const path = readCapacityPath(req.url ?? '');
    if (path === undefined) return false;
    if (req.method !== 'POST') answer(res, 405, undefined, { allow: 'POST' });
    else if (!this.desk.has(path.resource)) answer(res, 404);
    else if (this.#bodies >= this.#settings.maxBodies) answer(res, 503, undefined, { 'retry-after': '1' });
    else await this.#read(req, res, path.resource, path.action);
    return true;
  }

  /** Listens by itself. Resolves with where. */
  async listen(options: ListenOptions = {}): Promise<Bound> {
    const { mastership, address } = this.#settings;
    const bound = await this.#listener.listen(options);
    if (address === undefined) mastership?.announce(bound.url);
    await this.desk.started;
    return bound;
  }

  setCapacity(resource: string, capacity: number): void {
    this.desk.setCapacity(resource, capacity);
  }

  snapshot(): CapacityServerSnapshot {
    const { desk } = this;
    return {
      isMaster: desk.isMaster,
      token: this.#settings.mastership?.token,
      resources: desk.snapshot(),
      counts: { ...desk.counts },
    };
  }

  /** Hands out nothing from here on; another one may become master at once. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([this.desk.close(), this.#listener.close()]);
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!(await this.handle(req, res))) answer(res, 404);
  }

  async #read(req: IncomingMessage, res: ServerResponse, resource: string, action: CapacityAction) {
    this.#bodies++;
    const body = await readBody(req, this.#settings.bodyMs);
    this.#bodies--;
    if ('status' in body) {
      this.desk.refuse();
      answer(res, body.status);
    } else this.#say(res, this.desk[action](resource, body.value));
  }

  #say(res: ServerResponse, said: CapacityAnswer): void {
    switch (said.kind) {
      case 'granted':
        answer(res, 200, JSON.stringify(said.grant));
        return;
      case 'released':
        answer(res, 204);
        return;
      case 'no-news':
        answer(res, 503);
        return;
      case 'not-master':
        answer(res, 503, undefined, this.#whoIsMaster());
        return;
      case 'unreadable':
        answer(res, 400);
        return;
      case 'unknown-resource':
        answer(res, 404);
    }
  }

  #whoIsMaster(): Record<string, string> {
    const address = this.desk.masterAt(HTTP_PROTOCOLS);
    return address === '' ? {} : { [MASTER_HEADER]: address };
  }
}

function answer(res: ServerResponse, status: number, body = '', headers: Record<string, string> = {}): void {
  if (res.destroyed || res.headersSent) return;
  // The rest of a body that was not read to its end is not waited for.
  const isCut = !res.req.complete && res.req.httpVersionMajor === 1;
  const type = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  res.writeHead(status, {
    'cache-control': 'no-store',
    ...(status === 204 ? {} : type),
    ...(isCut ? { connection: 'close' } : {}),
    ...headers,
  });
  res.end(body);
}

/** A server of capacities, or one below another: `const server = createCapacityServer({ resources: { gpu: { capacity: 500 } } })`. */
export function createCapacityServer(
  options: Partial<CapacityServerSettings> & Pick<CapacityServerSettings, 'resources'>,
): CapacityServer {
  return new CapacityServer(options);
}
