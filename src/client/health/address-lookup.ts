import { lookup } from 'node:dns';
import { isIP, SocketAddress } from 'node:net';

export interface FoundAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Half of the threads that Node has for lookups and files: others need some too. */
const MOST_RUNNING = 2;

/** The address that a host's text is already, as the kernel writes it; undefined for a name. */
export function addressOf(host: string): FoundAddress | undefined {
  const family = isIP(host);
  if (family === 0) return undefined;
  if (family === 4) return { address: host, family: 4 };
  // A zone says which interface, and is no part of the address.
  if (host.includes('%')) return { address: host, family: 6 };
  // One address has many spellings; what comes off a socket has this one.
  return { address: new SocketAddress({ address: host, family: 'ipv6' }).address, family: 6 };
}

type OnFound = (found: FoundAddress | undefined) => void;
type Lookup = (host: string, done: (error: Error | null, address: string) => void) => void;

const systemLookup: Lookup = (host, done) => {
  lookup(host, (error, address) => done(error, address));
};

/** Looks names up, a few at a time: a thousand at once would hold up everything else that needs a thread. */
export class AddressLookup {
  readonly #lookup: Lookup;
  readonly #waiting: { readonly host: string; readonly onFound: OnFound }[] = [];
  #running = 0;
  #isClosed = false;

  constructor(lookup: Lookup = systemLookup) {
    this.#lookup = lookup;
  }

  find(host: string, onFound: OnFound): void {
    this.#waiting.push({ host, onFound });
    this.#startNext();
  }

  /** Nobody is told of anything any more. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
  }

  #startNext(): void {
    if (this.#running >= MOST_RUNNING) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#running++;
    this.#lookup(next.host, (error, address) => {
      this.#running--;
      if (this.#isClosed) return;
      this.#startNext();
      next.onFound(error === null ? addressOf(address) : undefined);
    });
  }
}
