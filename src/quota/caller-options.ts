import type { ConnectionOptions } from 'node:tls';
import { checkPositive } from '../core/check.js';
import { checkUrls } from './ask-targets.js';

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
}

export const CALLER_DEFAULTS: CallerOptions = Object.freeze({
  /** It must be given. */
  url: [],
  /** An answer takes a millisecond; whoever pauses for longer is treated as gone, and the next one is asked. */
  timeoutMs: 1_000,
  headers: Object.freeze({}),
  tls: Object.freeze({}),
});

export function checkCallerOptions({ url, timeoutMs }: CallerOptions): readonly string[] {
  checkPositive('timeoutMs', timeoutMs);
  return checkUrls('url', url);
}
