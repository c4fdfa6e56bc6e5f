import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

export interface RequestParts {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Record<string, string>;
}

/** A request and its answer as Node makes them, without a connection. */
export function exchange({ method = 'GET', url = '/', headers = {} }: RequestParts = {}) {
  const req = new IncomingMessage(new Socket());
  Object.assign(req, { method, url, headers: { host: 'shop.example', ...headers } });
  const res = new ServerResponse(req);
  return { req, res };
}
