/** An IPv4 address as sockets that speak both protocols write it. */
const MAPPED = '::ffff:';

/** The address without what only says how the socket was opened. */
export function plainAddress(address: string): string {
  return address.startsWith(MAPPED) && address.includes('.') ? address.slice(MAPPED.length) : address;
}

/** One element of `Forwarded` (RFC 7239). `host` is one that was checked. */
export function forwardedElement(address: string, host: string | undefined, protocol: string): string {
  const who = address === '' ? 'unknown' : address.includes(':') ? `"[${address}]"` : address;
  const asked = host === undefined ? '' : `;host="${host}"`;
  return `for=${who}${asked};proto=${protocol}`;
}
