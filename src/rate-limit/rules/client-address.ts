import { isIPv4, isIPv6 } from 'node:net';
import { checkInteger, withDefaults } from '../../core/check.js';
import type { RequestView } from './request-view.js';

export interface AddressOptions {
  /** How many proxies of one's own stand before this server, each of which adds to `x-forwarded-for`. */
  readonly trustedProxies: number;
  /** How many bits of an IPv6 address are one client. */
  readonly ipv6Prefix: number;
}

export const ADDRESS_DEFAULTS: AddressOptions = Object.freeze({
  // What nobody vouches for anybody can write: each request would be a client of its own.
  trustedProxies: 0,
  // What one customer of a provider gets at least (RFC 6177): addresses within it are free to choose from.
  ipv6Prefix: 64,
});

const MAPPED = '::ffff:';

/** Proxies in a row; more is a mistake. */
const MOST_PROXIES = 16;

/** Who sent a request, as one text for each client. */
export class ClientAddress {
  readonly #trustedProxies: number;
  readonly #ipv6Prefix: number;

  constructor(options: Partial<AddressOptions> = {}) {
    const { trustedProxies, ipv6Prefix } = withDefaults('address', ADDRESS_DEFAULTS, options);
    this.#trustedProxies = checkInteger('trustedProxies', trustedProxies, 0, MOST_PROXIES);
    this.#ipv6Prefix = checkInteger('ipv6Prefix', ipv6Prefix, 1, 128);
  }

  /** Undefined when there is none, as on a socket of the file system. */
  of(request: RequestView): string | undefined {
    const peer = this.#canonical(request.address ?? '');
    if (this.#trustedProxies === 0) return peer;
    const said = forwardedBy(request.header('x-forwarded-for') ?? '', this.#trustedProxies);
    // A proxy that writes something else (`unknown`) is counted as the client itself.
    return this.#canonical(withoutPort(said)) ?? peer;
  }

  #canonical(address: string): string | undefined {
    // How a server that listens on :: sees IPv4: for most of them that is every request.
    const mapped = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
    if (isIPv4(mapped)) return mapped;
    const plain = address.includes('%') ? address.replace(/%.*$/s, '') : address;
    if (isIPv4(plain)) return plain;
    if (!isIPv6(plain)) return undefined;
    const groups = groupsOf(plain);
    // The same, written otherwise.
    if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
      return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join('.');
    }
    return groups.map((group, i) => (group & maskOf(this.#ipv6Prefix - 16 * i)).toString(16)).join(':');
  }
}

/**
 * The entry that the furthest of our own proxies wrote: each adds whom it saw to the end, so it is the n-th from the
 * right. In a list that is shorter all are ours, and the first is the furthest.
 */
function forwardedBy(list: string, proxies: number): string {
  let end = list.length;
  for (let n = 1; n < proxies; n++) {
    const comma = list.lastIndexOf(',', end - 1);
    if (comma < 0 || end === 0) break;
    end = comma;
  }
  const begin = end === 0 ? 0 : list.lastIndexOf(',', end - 1) + 1;
  return list.slice(begin, end).trim();
}

/** `1.2.3.4:567` and `[::1]:567`. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]{1,64})\](?::\d{1,5})?$/.exec(text)?.[1];
  return bracketed ?? /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text)?.[1] ?? text;
}

/** The eight numbers of an address that is known to be one. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const front = hexOf(head);
  const back = tail === undefined ? [] : hexOf(tail);
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function hexOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a, b, c, d] = group.split('.').map(Number) as [number, number, number, number];
    return [(a << 8) | b, (c << 8) | d];
  });
}

function maskOf(bits: number): number {
  if (bits >= 16) return 0xffff;
  return bits <= 0 ? 0 : (0xffff << (16 - bits)) & 0xffff;
}
