import { isIP } from 'node:net';
import * as z from 'zod';
import { named, written } from '../../config/index.js';

/** Where to listen. */
export interface Address {
  /** Undefined: on all addresses of this machine. */
  readonly host: string | undefined;
  readonly port: number;
}

const FORM = /^(?:([A-Za-z0-9][\w.-]{0,252}|\[[\da-fA-F:.]{2,45}\])?:)?(\d{1,5})$/;

/** `8080`, `:8080`, `127.0.0.1:8080`, `[::1]:8080`. Port 0 is any that is free. */
export function parseAddress(text: string): Address {
  const [, host, port] = FORM.exec(text) ?? [];
  const plain = host?.replace(/^\[|\]$/g, '');
  const isRight = Number(port) <= 65_535 && !(host?.startsWith('[') && isIP(plain!) !== 6);
  if (!isRight) throw new RangeError(`address must be like "127.0.0.1:8080", got ${JSON.stringify(text)}`);
  return { host: plain, port: Number(port) };
}

/** Whether nobody can come from another machine. */
export function isLoopback({ host }: Address): boolean {
  if (host === undefined) return false;
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * Whether the second one could not be opened beside the first. All addresses are those of IPv4, too (Node listens on `::` so
 * that both come in). What a name stands for only the machine knows where it runs.
 */
export function sharesPort(one: Address, other: Address): boolean {
  if (one.port !== other.port || one.port === 0) return false;
  const [a, b] = [hostOf(one), hostOf(other)];
  return a === b || takes(a, b) || takes(b, a);
}

function takes(wide: string, host: string): boolean {
  return wide === ALL || (wide === '0.0.0.0' && isIP(host) === 4);
}

const ALL = '::';

/** One text for one address: there are many ways to write one of IPv6. */
function hostOf({ host = ALL }: Address): string {
  return isIP(host) === 6 ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host.toLowerCase();
}

/** As people write it: `127.0.0.1:8080`. */
export function describeAddress({ host, port }: Address): string {
  if (host === undefined) return `*:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const WORDS = 'a port, or an address like "127.0.0.1:8080"';

const text = written(WORDS, '^([\\w.-]*:|\\[[\\da-fA-F:.]+\\]:)?\\d{1,5}$', (given) => {
  parseAddress(given);
  return given;
});

const port = z.int().min(0).max(65_535);

/** A port, or an address with one: what stands beside other things that may be there, and in their place. */
export const ADDRESSES = [port.transform(String), text] as const;

export const addressText = named(WORDS, z.union(ADDRESSES));
