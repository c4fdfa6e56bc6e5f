import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';

/** Which server pages are asked of. */
export interface HttpTarget {
  readonly url: URL;
  /** For `https:` alone. */
  readonly tls: ConnectionOptions;
  /** `Host`, when it is not that of the URL: a server of several names has its page by one of them. */
  readonly host?: string | undefined;
}

/** Ours have 300 bytes. */
const MOST_HEADER_BYTES = 8_192;

/** The host as sockets want it: IPv6 without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/**
 * A request on a connection of its own, which does not keep the process alive. Exactly one of the two is called, unless
 * the request is let go of before, and not before this returns.
 */
export function httpGet(
  { url, tls, host }: HttpTarget,
  path: string,
  onResponse: (response: IncomingMessage) => void,
  onFailed: () => void,
): { destroy(): void } {
  const options: RequestOptions = {
    ...(url.protocol === 'https:' ? tls : {}),
    host: hostOf(url),
    port: portOf(url),
    path,
    method: 'GET',
    ...(host === undefined ? {} : { headers: { host } }),
    // A pool's connection may be one that requests wait for.
    agent: false,
    maxHeaderSize: MOST_HEADER_BYTES,
  };
  const open = new OpenGet(onResponse, onFailed);
  try {
    open.start(url.protocol === 'https:' ? httpsRequest(options) : httpRequest(options));
  } catch {
    // Certificates that cannot be read, for one.
    process.nextTick(() => open.fail());
  }
  return open;
}

class OpenGet {
  #request: ClientRequest | undefined;
  #onResponse: ((response: IncomingMessage) => void) | undefined;
  #onFailed: (() => void) | undefined;

  constructor(onResponse: (response: IncomingMessage) => void, onFailed: () => void) {
    this.#onResponse = onResponse;
    this.#onFailed = onFailed;
  }

  start(request: ClientRequest): void {
    this.#request = request;
    request.on('socket', (socket) => socket.unref());
    // An error may come at any time, also after an answer and after the end: then nobody is told.
    request.on('error', () => this.fail());
    request.on('close', () => this.fail());
    request.on('response', (response) => {
      response.on('error', () => {});
      const onResponse = this.#onResponse;
      this.#settle();
      if (onResponse === undefined) request.destroy();
      else onResponse(response);
    });
    request.end();
  }

  fail(): void {
    const onFailed = this.#onFailed;
    this.#settle();
    onFailed?.();
  }

  destroy(): void {
    this.#settle();
    this.#request?.destroy();
  }

  #settle(): void {
    this.#onResponse = undefined;
    this.#onFailed = undefined;
  }
}
