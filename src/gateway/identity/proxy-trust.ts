import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { trustOf } from '../../server/intake/trust.js';

/** Proxies in a row; who has more has written them himself. */
const MOST_ENTRIES = 32;

/** Node makes an object of all headers when it is first asked for it: only who believes them asks. */
type Headed = Pick<IncomingMessage, 'headers'>;

/** Who asks, and how, when proxies of ours are in front: by what they say, and nobody else. */
export class ProxyTrust {
  readonly #depth: number;
  readonly #isProxy: ((address: string | undefined) => boolean) | undefined;

  /** How many proxies there are, or which networks they are in. */
  constructor(trusted: number | readonly string[]) {
    this.#depth = typeof trusted === 'number' ? trusted : 0;
    this.#isProxy = typeof trusted === 'number' || trusted.length === 0 ? undefined : trustOf(trusted);
  }

  /** Whether anybody is believed at all. */
  get isNone(): boolean {
    return this.#depth === 0 && this.#isProxy === undefined;
  }

  addressOf(peer: string | undefined, req: Headed): string | undefined {
    if (!this.#believes(peer)) return peer;
    const said = textOf(req.headers['x-forwarded-for']);
    const entries = said === '' ? [] : said.split(',').slice(-MOST_ENTRIES).map(plainAddress);
    return this.#depth > 0 ? this.#byDepth(peer, entries) : this.#byNetworks(peer, entries);
  }

  /** What the client spoke with the first of our proxies. */
  protocolOf(isEncrypted: boolean, peer: string | undefined, req: Headed): 'http' | 'https' {
    const own = isEncrypted ? 'https' : 'http';
    if (!this.#believes(peer)) return own;
    const said = textOf(req.headers['x-forwarded-proto']).split(',').at(-1)!.trim().toLowerCase();
    return said === 'http' || said === 'https' ? said : own;
  }

  #believes(peer: string | undefined): boolean {
    return this.#depth > 0 || this.#isProxy?.(peer) === true;
  }

  /** Each proxy adds whom it saw to the end: the n-th from the right is what the furthest of them wrote. */
  #byDepth(peer: string | undefined, entries: readonly string[]): string | undefined {
    const entry = entries.at(-Math.min(this.#depth, entries.length));
    return entry !== undefined && isIP(entry) !== 0 ? entry : peer;
  }

  /** From the right, the first that is none of ours. What is no address ends it: all before that is hearsay. */
  #byNetworks(peer: string | undefined, entries: readonly string[]): string | undefined {
    let nearest = peer;
    for (const entry of entries.toReversed()) {
      if (isIP(entry) === 0) return nearest;
      nearest = entry;
      if (!this.#isProxy!(entry)) return nearest;
    }
    return nearest;
  }
}

function textOf(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join(',') ?? '');
}

/** Without a port, brackets and spaces. */
function plainAddress(entry: string): string {
  const text = entry.trim();
  const bracketed = /^\[([^\]]{1,64})\](?::\d{1,5})?$/.exec(text)?.[1];
  return bracketed ?? /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text)?.[1] ?? text;
}
