import type { ConnectOptions } from './socket-stash.js';

/** Whom to connect to, and by which name if it is not that of the URL. */
export function targetOf({ protocol, hostname, port, host }: URL, name: string | undefined): ConnectOptions {
  const named = name === undefined ? {} : { servername: hostnameOf(name) };
  return { protocol, host, port, hostname: unbracketed(hostname), ...named };
}

/** Without the port. */
export function hostnameOf(host: string): string {
  return unbracketed(new URL(`http://${host}`).hostname);
}

function unbracketed(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
