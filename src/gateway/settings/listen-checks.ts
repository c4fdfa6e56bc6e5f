import { isLoopback, parseAddress, sharesPort } from './address.js';
import type { Report } from './cross-checks.js';
import type { GatewaySettings } from './gateway-schema.js';

/** Ports that this process does not have already, for whom they are meant. */
export function checkListeners({ listen, admin }: GatewaySettings, report: Report): void {
  const addresses = listen.map(({ address }) => parseAddress(address));
  for (const [at, { tls }] of listen.entries()) {
    const before = addresses.findIndex((other, i) => i < at && sharesPort(other, addresses[at]!));
    if (before >= 0) report(['listen', at], `listens where listen[${before}] does`);
    if (tls?.clientCert === 'required' && tls.clientCa === undefined)
      report(
        ['listen', at, 'tls', 'clientCert'],
        'needs clientCa, which says whose certificates are believed',
      );
  }
  if (admin === false) return;
  const address = parseAddress(admin.address);
  if (!isLoopback(address) && admin.token === undefined)
    report(['admin'], 'needs a token where others can reach it: set token, or listen on 127.0.0.1');
  const before = addresses.findIndex((other) => sharesPort(other, address));
  if (before >= 0) report(['admin', 'address'], `listens where listen[${before}] does`);
}
