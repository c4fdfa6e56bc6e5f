import type { LoadReport } from '../../core/index.js';
import { type ClientDatagram, decodeClientDatagram, encodeDatagram } from '../../wire/index.js';
import { Cookies } from './cookies.js';
import type { HealthSource } from './health-source.js';
import { type KnownClient, KnownClients } from './known-clients.js';
import type { UdpHealthOptions } from './udp-health-options.js';

/** What came and what became of it, since the start. */
export interface UdpHealthCounts {
  /** Datagrams that no client of ours can have sent. */
  garbage: number;
  answered: number;
  /** Questions left unanswered because there were too many from senders without proof of their address. */
  overBudget: number;
  /** Cookies that we never gave to that address. */
  badCookies: number;
  pushed: number;
  acknowledged: number;
  /** Acknowledgements of what was not pushed, or by who was not told. */
  badAcks: number;
  bytesIn: number;
  bytesOut: number;
}

/**
 * Decides what is answered to a datagram, and who is told of a change: all of UDP health but the socket. An answer goes
 * to who asked, has the size of the question, and repeats its token. Only a client that has repeated the cookie which was
 * sent to its address is told anything that it did not ask for: nobody can have us send to an address that is not his.
 */
export class HealthResponder {
  readonly counts: UdpHealthCounts = {
    garbage: 0,
    answered: 0,
    overBudget: 0,
    badCookies: 0,
    pushed: 0,
    acknowledged: 0,
    badAcks: 0,
    bytesIn: 0,
    bytesOut: 0,
  };
  readonly #source: HealthSource;
  readonly #options: UdpHealthOptions;
  readonly #cookies: Cookies;
  readonly #clients: KnownClients;
  #strangers = 0;
  #report: LoadReport | undefined;
  /** Of the last change: acknowledged by this number. */
  #sequence = 0;
  #untold = new Set<string>();

  constructor(source: HealthSource, options: UdpHealthOptions, now: number) {
    this.#source = source;
    this.#options = options;
    this.#cookies = new Cookies(options.cookieLifeMs, now);
    this.#clients = new KnownClients(options.maxClients, options.clientExpiryMs);
  }

  get knownClients(): number {
    return this.#clients.size;
  }

  /** A new turn of the event loop: what is bounded by turn begins anew, and the load is measured again. */
  beginTurn(): void {
    this.#strangers = 0;
    this.#report = undefined;
  }

  /** A datagram came; what to answer, if anything. */
  receive(bytes: Buffer, address: string, port: number, now: number): Buffer | undefined {
    this.counts.bytesIn += bytes.length;
    const datagram = decodeClientDatagram(bytes);
    // From port 0 comes only what was forged, and nothing can be sent there.
    if (datagram === undefined || port === 0) {
      this.counts.garbage++;
      return undefined;
    }
    const peer = `${address} ${port}`;
    const known = this.#clients.get(peer, now);
    if (datagram.kind === 'ack') {
      this.#acknowledge(datagram, known);
      return undefined;
    }
    const isKnown = known?.cookie.equals(datagram.cookie) === true;
    // Counted before anything is hashed for it.
    if (!isKnown && this.#strangers++ >= this.#options.strangersPerTurn) {
      this.counts.overBudget++;
      return undefined;
    }
    const generation = this.#cookies.generation(now);
    const cookie =
      isKnown && known?.generation === generation ? known.cookie : this.#cookies.cookieFor(peer, now);
    if (isKnown || this.#isProven(datagram.cookie, peer, now)) {
      const { wantsPushes, token } = datagram;
      if (!wantsPushes) this.#clients.forget(peer);
      else
        this.#clients.remember({
          peer,
          address,
          port,
          token: Buffer.from(token),
          cookie,
          generation,
          seenMs: now,
        });
    }
    this.counts.answered++;
    return this.#encode('answer', datagram.token, cookie, datagram.sequence);
  }

  /** A change of state: all known clients are to be told of it. */
  beginPush(now: number): void {
    this.#sequence = (this.#sequence + 1) >>> 0;
    this.#untold = new Set(this.#clients.list(now).map(({ peer }) => peer));
  }

  /** Who has not acknowledged the last change. */
  untold(now: number): KnownClient[] {
    return [...this.#untold].flatMap((peer) => this.#clients.get(peer, now) ?? []);
  }

  /** What to send to a client about the last change. */
  pushTo(client: KnownClient): Buffer {
    this.counts.pushed++;
    return this.#encode('push', client.token, client.cookie, this.#sequence);
  }

  #isProven(cookie: Uint8Array, peer: string, now: number): boolean {
    // As every client begins.
    if (cookie.every((byte) => byte === 0)) return false;
    const isProven = this.#cookies.isValid(cookie, peer, now);
    if (!isProven) this.counts.badCookies++;
    return isProven;
  }

  #acknowledge({ token, cookie, sequence }: ClientDatagram, known: KnownClient | undefined): void {
    const isRight =
      known !== undefined &&
      sequence === this.#sequence &&
      known.token.equals(token) &&
      known.cookie.equals(cookie);
    if (!isRight) this.counts.badAcks++;
    // A push that came twice is acknowledged twice.
    else if (this.#untold.delete(known.peer)) this.counts.acknowledged++;
  }

  #encode(kind: 'answer' | 'push', token: Uint8Array, cookie: Uint8Array, sequence: number): Buffer {
    this.#report ??= this.#source.loadReport();
    const bytes = encodeDatagram({
      kind,
      token,
      cookie,
      sequence,
      state: this.#source.state(),
      report: this.#report,
    });
    this.counts.bytesOut += bytes.length;
    return bytes;
  }
}
