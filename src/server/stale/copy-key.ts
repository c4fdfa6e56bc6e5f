import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { CacheControl } from './cache-control.js';
import type { StaleOptions } from './stale-options.js';

/** With one of these a request asks for something else than its method and URL say, or for a part, or on conditions. */
const UNKEYABLE = [
  'transfer-encoding',
  'range',
  'if-range',
  'if-match',
  'if-unmodified-since',
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
  'upgrade',
];

type KeyOptions = Pick<StaleOptions, 'keyHeaders' | 'credentials' | 'partition'>;

/** The key of what is asked for; undefined when method and URL do not say it all. */
export function keyOf(req: IncomingMessage, options: KeyOptions): string | undefined {
  const { headers } = req;
  if (UNKEYABLE.some((name) => headers[name] !== undefined)) return undefined;
  // A body of a GET could say anything.
  if ((headers['content-length'] ?? '0') !== '0') return undefined;
  return targetKeyOf(req, options);
}

/**
 * The target of a request *as it was sent*: parsers that read a URL differently cannot be played against each other, at
 * the price of a copy for each spelling. A header that is neither here nor in `Vary` must not change an answer.
 *
 * No part can contain the separator: Node refuses it in a request line and in headers. What the user's own function
 * returns may, so its length goes first.
 */
export function targetKeyOf(req: IncomingMessage, options: KeyOptions): string | undefined {
  const { headers, socket } = req;
  const isEncrypted = (socket as Partial<TLSSocket>).encrypted === true;
  let key = `${isEncrypted ? 'https' : 'http'}\n${headers.host?.toLowerCase() ?? ''}\n${req.url}`;
  for (const name of options.keyHeaders) key += `\n${valueIn(headers, name)}`;
  key += `\n${forwardedTarget(headers['forwarded'])}`;
  return options.partition === undefined ? key : withPartition(key, req, options.partition);
}

function withPartition(key: string, req: IncomingMessage, partitionOf: (req: IncomingMessage) => string) {
  try {
    const partition = partitionOf(req);
    return `${key}\n${partition.length}:${partition}`;
  } catch {
    // An answer on its way must not fail for a copy of it. What has no part has no key.
    return undefined;
  }
}

/** The key of the one among several answers that this request would get. */
export function variantKeyOf(key: string, names: readonly string[], headers: IncomingHttpHeaders): string {
  let variant = key;
  for (const name of names) variant += `\n${name}${valueIn(headers, name)}`;
  return variant;
}

/** Absent is not the same as empty (RFC 9111 4.1). */
function valueIn(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return value === undefined ? '' : `=${value}`;
}

/** `Forwarded` (RFC 7239) without who sent it and through whom, which differ each time. */
function forwardedTarget(forwarded: string | undefined): string {
  if (forwarded === undefined) return '';
  const parts = forwarded.toLowerCase().split(/[;,]/);
  return parts.filter((part) => !/^\s*(for|by)\s*=/.test(part)).join(';');
}

/** Whether whoever asks has said who they are. */
export function hasCredentials({ headers, socket }: IncomingMessage, { credentials }: KeyOptions): boolean {
  if (credentials.some((name) => headers[name] !== undefined)) return true;
  // By a certificate.
  return (socket as Partial<TLSSocket>).authorized === true;
}

/** What whoever asks has said on copies. Other directives only advise (RFC 9111 5.2.1): in need a copy is better than none. */
export function copyWishOf({ headers }: IncomingMessage): 'never' | 'not-now' | 'any' {
  const text = headers['cache-control'];
  if (text === undefined) return 'any';
  const control = new CacheControl(text);
  if (control.has('no-store')) return 'never';
  // A forced reload. A plain one says `max-age=0`.
  return control.has('no-cache') ? 'not-now' : 'any';
}
