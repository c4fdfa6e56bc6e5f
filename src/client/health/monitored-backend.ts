import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { PageVerdict } from '../../core/index.js';
import { type Health, type ServerDatagram, TOKEN_BYTES } from '../../wire/index.js';
import { type AddressLookup, addressOf, type FoundAddress } from './address-lookup.js';
import type { Due } from './due-queue.js';
import type { HealthActions, HealthVia, PageResult } from './health-actions.js';
import { HealthCheck } from './health-check.js';
import type { HealthOptions } from './health-options.js';
import { type HttpTarget, hostOf, portOf } from './http-get.js';
import { HttpPage, readPage, readStatus } from './http-page.js';
import { HttpWatch } from './http-watch.js';
import type { UdpAddress, UdpLink } from './udp-link.js';

/** What all backends of a monitor share. */
export interface MonitorParts {
  readonly options: HealthOptions;
  readonly link: UdpLink;
  readonly lookup: AddressLookup;
  readonly byToken: Map<string, MonitoredBackend>;
  /** How many streams and pages there are. */
  readonly open: { watches: number; pages: number };
  now(): number;
  random(): number;
  nextSequence(): number;
  /** Something happened to it that may have changed when it is due. */
  onEvent(backend: MonitoredBackend): void;
  onHealth(key: string, health: Health, via: HealthVia): void;
  onVerdict(key: string, verdict: PageVerdict): void;
  onSilent(key: string): void;
  /** A page came, or did not: also for those who wait for the load report in it. */
  onPage(backend: MonitoredBackend, health: Health | undefined): void;
}

/** A token as the key of a map. */
export function tokenKey(token: Uint8Array): string {
  return Buffer.from(token.buffer, token.byteOffset, token.byteLength).toString('latin1');
}

/** One backend's sockets, streams and address; what is done with them its check decides. */
export class MonitoredBackend implements Due, HealthActions {
  dueMs = Number.POSITIVE_INFINITY;
  queueIndex = -1;
  readonly key: string;
  readonly check: HealthCheck;
  readonly #parts: MonitorParts;
  readonly #http: HttpTarget;
  #token: Buffer = Buffer.alloc(TOKEN_BYTES);
  #address: UdpAddress | undefined;
  #isResolving = false;
  #isClosed = false;
  #watch: HttpWatch | undefined;
  #page: HttpPage | undefined;

  constructor(key: string, http: HttpTarget, parts: MonitorParts) {
    this.key = key;
    this.#http = http;
    this.#parts = parts;
    this.check = new HealthCheck(this, parts.options, () => parts.random(), parts.now());
    const { mode } = parts.options;
    if (mode === 'http' || mode === 'off') return;
    const literal = addressOf(hostOf(http.url));
    if (literal === undefined) this.resolve();
    else this.#moveTo(literal);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  isAt(address: string, port: number): boolean {
    return this.#address?.address === address && this.#address.port === port;
  }

  /** Asks without the check's knowing. */
  sendProbe(sequence: number): void {
    this.check.record.sent++;
    this.#send('check', this.check.cookie, sequence);
  }

  /** Each time a push comes: the receipt before may have been lost. The cookie is the push's, which is what was told last. */
  acknowledge({ cookie, sequence }: ServerDatagram): void {
    this.#send('ack', cookie, sequence);
  }

  close(): void {
    this.#isClosed = true;
    this.check.stop();
    this.#parts.byToken.delete(tokenKey(this.#token));
  }

  sendCheck(): number {
    const sequence = this.#parts.nextSequence();
    this.#send('check', this.check.cookie, sequence);
    return sequence;
  }

  resolve(): void {
    const host = hostOf(this.#http.url);
    if (this.#isResolving || addressOf(host) !== undefined) return;
    this.#isResolving = true;
    this.#parts.lookup.find(host, (found) => {
      this.#isResolving = false;
      if (found === undefined || this.#isClosed || found.address === this.#address?.address) return;
      this.#moveTo(found);
      this.check.onMoved(this.#parts.now());
      this.#parts.onEvent(this);
    });
  }

  openWatch(): boolean {
    const { open, options } = this.#parts;
    if (open.watches >= options.maxWatches) return false;
    open.watches++;
    this.#watch = new HttpWatch(this.#http, `${options.prefix}/watch`, {
      onLine: (health) => this.#event((now) => this.check.onLine(health, now)),
      onGarbage: () => this.check.record.dropped++,
      onEnd: (end) => {
        this.closeWatch();
        this.#event((now) => this.check.onWatchEnd(end, now));
      },
    });
    return true;
  }

  closeWatch(): void {
    if (this.#watch === undefined) return;
    this.#watch.close();
    this.#watch = undefined;
    this.#parts.open.watches--;
  }

  askPage(): boolean {
    const { open, options } = this.#parts;
    if (open.pages >= options.maxPages) return false;
    open.pages++;
    const { path = `${options.prefix}/ready` } = options;
    const readAnswer = options.path === undefined ? readPage : readStatus;
    this.#page = new HttpPage(this.#http, path, readAnswer, (result) => this.#onPage(result));
    return true;
  }

  cancelPage(): void {
    if (this.#page === undefined) return;
    this.#page.close();
    this.#page = undefined;
    this.#parts.open.pages--;
  }

  tell(health: Health, via: HealthVia): void {
    this.#parts.onHealth(this.key, health, via);
  }

  judge(verdict: PageVerdict): void {
    this.#parts.onVerdict(this.key, verdict);
  }

  silent(): void {
    this.#parts.onSilent(this.key);
  }

  #event(happen: (now: number) => void): void {
    happen(this.#parts.now());
    this.#parts.onEvent(this);
  }

  #onPage(result: PageResult): void {
    this.cancelPage();
    this.#event((now) => this.check.onPage(result, now));
    this.#parts.onPage(this, typeof result === 'object' && 'state' in result ? result : undefined);
  }

  #send(kind: 'check' | 'ack', cookie: Uint8Array, sequence: number): void {
    // Its name is still being looked up: as good as a datagram lost.
    if (this.#address === undefined) return;
    // Always: a server forgets who asks without wanting pushes.
    const datagram = { kind, token: this.#token, cookie, sequence, wantsPushes: true } as const;
    this.#parts.link.send(datagram, this.#address, this.#parts.now());
  }

  /** With a token of its own: whoever is at the address before knows the old one. */
  #moveTo({ address, family }: FoundAddress): void {
    const { byToken, options } = this.#parts;
    byToken.delete(tokenKey(this.#token));
    this.#token = randomBytes(TOKEN_BYTES);
    byToken.set(tokenKey(this.#token), this);
    this.#address = { address, family, port: options.udpPort ?? portOf(this.#http.url) };
  }
}
