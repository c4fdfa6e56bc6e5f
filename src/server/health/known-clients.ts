import { elapsedMs } from '../../core/index.js';

/** A client that has proven its address and wants to hear of changes. */
export interface KnownClient {
  /** Address and port as one. */
  readonly peer: string;
  readonly address: string;
  readonly port: number;
  /** Repeated by whatever is sent to it. */
  readonly token: Buffer;
  /** The last one that it was told. */
  readonly cookie: Buffer;
  /** Of the key that this cookie was made with. */
  readonly generation: number;
  readonly seenMs: number;
}

/** The clients to tell of changes: so many at most, those not heard of for a while forgotten, the oldest first. */
export class KnownClients {
  readonly #max: number;
  readonly #expiryMs: number;
  /** In the order in which they were last heard of. */
  readonly #byPeer = new Map<string, KnownClient>();

  constructor(max: number, expiryMs: number) {
    this.#max = max;
    this.#expiryMs = expiryMs;
  }

  get size(): number {
    return this.#byPeer.size;
  }

  get(peer: string, now: number): KnownClient | undefined {
    const client = this.#byPeer.get(peer);
    return client === undefined || this.#isExpired(client, now) ? undefined : client;
  }

  remember(client: KnownClient): void {
    this.#byPeer.delete(client.peer);
    this.#byPeer.set(client.peer, client);
    this.#forgetOld(client.seenMs);
  }

  forget(peer: string): void {
    this.#byPeer.delete(peer);
  }

  list(now: number): KnownClient[] {
    this.#forgetOld(now);
    return [...this.#byPeer.values()];
  }

  #isExpired(client: KnownClient, now: number): boolean {
    return elapsedMs(client.seenMs, now) >= this.#expiryMs;
  }

  #forgetOld(now: number): void {
    for (const [peer, client] of this.#byPeer) {
      if (this.#byPeer.size <= this.#max && !this.#isExpired(client, now)) return;
      this.#byPeer.delete(peer);
    }
  }
}
