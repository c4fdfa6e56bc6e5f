import type { ConnectionOptions } from 'node:tls';
import { checkPositive } from '../core/check.js';
import { checkUrls } from './ask-targets.js';
import { HTTP_PROTOCOLS } from './capacity-address.js';
import type { CapacityTransport } from './capacity-transport.js';

/** How a server is called, by clients and by servers below it. */
export interface CallerOptions {
  /** Of the server; several are of servers that take each other's place, and are asked in turn. */
  readonly url: string | readonly string[];
  /** Each one that is asked has so long to answer. */
  readonly timeoutMs: number;
  /** Sent along: who protects a server asks for them. */
  readonly headers: Readonly<Record<string, string>>;
  /** For `https:` alone. */
  readonly tls: ConnectionOptions;
  /** For addresses that are not of HTTP. undefined: there are none. */
  readonly transport: CapacityTransport | undefined;
}

export const CALLER_DEFAULTS: CallerOptions = Object.freeze({
  /** It must be given. */
  url: [],
  /** An answer takes a millisecond; whoever pauses for longer is treated as gone, and the next one is asked. */
  timeoutMs: 1_000,
  headers: Object.freeze({}),
  tls: Object.freeze({}),
  transport: undefined,
});

/** Of all addresses that can be asked. */
export function protocolsOf({ transport }: Pick<CallerOptions, 'transport'>): readonly string[] {
  return [...HTTP_PROTOCOLS, ...(transport?.protocols ?? [])];
}

export function checkCallerOptions(options: CallerOptions): readonly string[] {
  const { transport } = options;
  checkPositive('timeoutMs', options.timeoutMs);
  if (
    transport !== undefined &&
    (!Array.isArray(transport.protocols) || typeof transport.open !== 'function')
  )
    throw new TypeError(`transport must be one as grpcCapacity() makes it, got ${String(transport)}`);
  return checkUrls('url', options.url, protocolsOf(options));
}
