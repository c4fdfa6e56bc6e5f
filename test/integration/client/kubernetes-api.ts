import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  eventLine,
  type SliceObject,
  sliceObject,
} from '../../../src/client/resolving/kubernetes/slices.contract.js';

type Slices = Parameters<typeof sliceObject>[2];

interface PastEvent {
  readonly version: number;
  readonly line: string;
}

/** As much of an API server as lists and watches of EndpointSlices need, with a history, and faults when told to. */
export class KubernetesApi {
  readonly #server: Server = createServer((asked, answer) => this.#answer(asked, answer));
  readonly #slices = new Map<string, SliceObject>();
  readonly #watches = new Set<ServerResponse>();
  #history: PastEvent[] = [];
  #version = 100;
  /** Query of each list and watch, in order. */
  readonly lists: URLSearchParams[] = [];
  readonly watches: URLSearchParams[] = [];
  readonly tokens: (string | undefined)[] = [];
  readonly paths: string[] = [];
  sockets = 0;
  /** Statuses to answer the next requests with instead. */
  listStatuses: number[] = [];
  watchStatuses: number[] = [];
  /** Answer of every list instead of a list. */
  listBody: string | undefined;
  /** Takes requests and says nothing. */
  isSilent = false;
  /** So many slices a page, whatever was asked for. */
  pageSize = 500;

  static async start(): Promise<KubernetesApi> {
    const api = new KubernetesApi();
    api.#server.on('connection', (socket) => {
      api.sockets++;
      socket.on('close', () => api.sockets--);
    });
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  put(name: string, addresses: Slices, rest: Partial<SliceObject> = {}): void {
    const type = this.#slices.has(name) ? 'MODIFIED' : 'ADDED';
    const slice = sliceObject(name, ++this.#version, addresses, rest);
    this.#slices.set(name, slice);
    this.#happen(eventLine(type, slice));
  }

  delete(name: string): void {
    const { endpoints: _, ...slice } = this.#slices.get(name)!;
    this.#slices.delete(name);
    const metadata = { ...slice.metadata, resourceVersion: String(++this.#version) };
    this.#happen(eventLine('DELETED', { ...slice, metadata }));
  }

  /** Others' changes went by. */
  bookmark(): void {
    this.#version += 1_000;
    const metadata = { resourceVersion: String(this.#version) };
    this.send(eventLine('BOOKMARK', { metadata }));
  }

  /** Forgets all that happened: whoever watches from an older version is told so. */
  forgetHistory(): void {
    this.#history = [];
    this.#version++;
  }

  /** Bytes as they are, to all watches. */
  send(bytes: string | Uint8Array): void {
    for (const watch of this.#watches) watch.write(bytes);
  }

  /** Ends all watches as an API server does, or in the middle of everything. */
  endWatches(): void {
    for (const watch of this.#watches) watch.end();
  }

  cutWatches(): void {
    for (const watch of this.#watches) watch.destroy();
  }

  /** Something happens, of which the watches get the first half of the line, and then nothing more. */
  putAndCut(name: string, addresses: Slices): void {
    const watches = [...this.#watches];
    this.#watches.clear();
    this.put(name, addresses);
    const { line } = this.#history.at(-1)!;
    for (const watch of watches) watch.write(line.slice(0, line.length / 2), () => watch.destroy());
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #happen(line: string): void {
    this.#history.push({ version: this.#version, line });
    this.send(line);
  }

  #answer(asked: IncomingMessage, answer: ServerResponse): void {
    if (this.isSilent) return;
    const { pathname, searchParams } = new URL(asked.url!, 'http://api');
    this.tokens.push(asked.headers.authorization);
    this.paths.push(pathname);
    if (searchParams.has('watch')) this.#watch(searchParams, answer);
    else this.#list(searchParams, answer);
  }

  #list(query: URLSearchParams, answer: ServerResponse): void {
    this.lists.push(query);
    const status = this.listStatuses.shift();
    if (status !== undefined) {
      refuse(answer, status);
      return;
    }
    const size = Math.min(this.pageSize, Number(query.get('limit')));
    const from = Number(query.get('continue') ?? 0);
    const items = [...this.#slices.values()].slice(from, from + size);
    const isLast = from + size >= this.#slices.size;
    const metadata = {
      resourceVersion: String(this.#version),
      ...(isLast ? {} : { continue: String(from + size) }),
    };
    answer.end(this.listBody ?? JSON.stringify({ metadata, items }));
  }

  #watch(query: URLSearchParams, answer: ServerResponse): void {
    this.watches.push(query);
    const status = this.watchStatuses.shift();
    if (status !== undefined) {
      refuse(answer, status);
      return;
    }
    const since = Number(query.get('resourceVersion'));
    const oldest = this.#history[0]?.version ?? this.#version + 1;
    answer.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    if (since < oldest - 1 && since !== this.#version) {
      answer.end(eventLine('ERROR', { code: 410, message: 'too old resource version' }));
      return;
    }
    for (const { version, line } of this.#history) if (version > since) answer.write(line);
    this.#watches.add(answer);
    answer.on('close', () => this.#watches.delete(answer));
  }
}

function refuse(answer: ServerResponse, status: number): void {
  answer.writeHead(status).end(JSON.stringify({ code: status, message: `refused with ${status}` }));
}
