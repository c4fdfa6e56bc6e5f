import type { Buffer } from 'node:buffer';
import type { ConnectionOptions } from 'node:tls';
import { checkOneOf, checkPositive } from '../../core/check.js';
import type { Environment, PageVerdict } from '../../core/index.js';
import { decodeServerDatagram, type Health, type ServerDatagram } from '../../wire/index.js';
import { AddressLookup } from './address-lookup.js';
import { Alarm } from './alarm.js';
import { HEALTH_PACES, type HealthPace } from './check-interval.js';
import { DueQueue } from './due-queue.js';
import type { HealthSnapshot, HealthVia } from './health-actions.js';
import { checkHealthOptions, type HealthOptions } from './health-options.js';
import { MonitoredBackend, type MonitorParts, tokenKey } from './monitored-backend.js';
import { ProbeBook, type ProbeCallback } from './probe-book.js';
import { UdpLink } from './udp-link.js';

export interface HealthListener {
  /** What a backend says of itself, by whichever way. */
  onHealth(key: string, health: Health, via: HealthVia): void;
  /** Whether its page says that it is well, when that changes; only where `path` names one. */
  onVerdict(key: string, verdict: PageVerdict): void;
  /** It used to answer, and no longer does by any way. Said once until it answers again. */
  onSilent(key: string): void;
}

/** So many backends are seen to before others have their turn: four milliseconds; 25,000 a second. */
const MOST_PER_RUN = 256;

/**
 * Learns how backends are without sending them requests: by UDP, where a change is heard of at once, and by HTTP where
 * UDP is closed. One timer and one socket of each family serve all of them, and nothing here keeps a process alive.
 */
export class HealthMonitor {
  readonly #environment: Pick<Environment, 'monotonicMs' | 'random'>;
  readonly #options: HealthOptions;
  readonly #parts: MonitorParts;
  readonly #backends = new Map<string, MonitoredBackend>();
  readonly #byToken = new Map<string, MonitoredBackend>();
  readonly #queue = new DueQueue<MonitoredBackend>();
  readonly #probes: ProbeBook<MonitoredBackend>;
  readonly #alarm: Alarm;
  #sequence = 0;
  #strays = 0;
  #isClosed = false;

  constructor(
    listener: HealthListener,
    environment: Pick<Environment, 'monotonicMs' | 'random'>,
    options?: Partial<HealthOptions>,
  ) {
    this.#environment = environment;
    this.#options = checkHealthOptions(options);
    this.#probes = new ProbeBook(this.#options.maxProbes);
    this.#alarm = new Alarm(
      () => this.#run(),
      () => environment.monotonicMs(),
    );
    this.#parts = {
      options: this.#options,
      link: new UdpLink((bytes, address, port) => this.#receive(bytes, address, port)),
      lookup: new AddressLookup(),
      byToken: this.#byToken,
      open: { watches: 0, pages: 0 },
      now: () => environment.monotonicMs(),
      random: () => environment.random(),
      nextSequence: () => this.#nextSequence(),
      onEvent: (backend) => this.#reschedule(backend),
      onHealth: (key, health, via) => listener.onHealth(key, health, via),
      onVerdict: (key, verdict) => listener.onVerdict(key, verdict),
      onSilent: (key) => listener.onSilent(key),
      onPage: (backend, health) => this.#probes.answerAll(backend, reportOf(health)),
    };
  }

  /** Datagrams that came in no backend's name: garbage, and tokens that are none of ours. */
  get strays(): number {
    return this.#strays;
  }

  /**
   * It is asked at once, and at the pace `active` from then on. For pages: `tls` as for `tls.connect`, and the `host` that they
   * are asked of, if it is not the URL's.
   */
  add(key: string, url: URL, tls: ConnectionOptions = {}, host?: string): void {
    if (this.#isClosed) return;
    if (this.#backends.has(key)) throw new RangeError(`key must be new, got ${JSON.stringify(key)} again`);
    checkOneOf('protocol', url.protocol, ['http:', 'https:']);
    const backend = new MonitoredBackend(key, { url, tls, host }, this.#parts);
    this.#backends.set(key, backend);
    this.#reschedule(backend);
  }

  remove(key: string): void {
    const backend = this.#backends.get(key);
    if (backend === undefined) return;
    this.#backends.delete(key);
    this.#queue.delete(backend);
    backend.close();
    this.#probes.answerAll(backend, undefined);
  }

  /** How often it is asked. */
  setPace(key: string, pace: HealthPace): void {
    checkOneOf('pace', pace, HEALTH_PACES);
    const backend = this.#backends.get(key);
    if (backend === undefined) return;
    backend.check.setPace(pace, this.#now());
    this.#reschedule(backend);
  }

  /** Asks now, besides the schedule: a request was refused, say. At most once in 50 ms. */
  checkSoon(key: string): void {
    const backend = this.#backends.get(key);
    if (backend === undefined) return;
    backend.check.checkSoon(this.#now());
    this.#reschedule(backend);
  }

  /**
   * One question, answered by how loaded the backend is; undefined after `timeoutMs`, and when it is not ready. Undefined
   * at once when it cannot be asked: it has no health, or too many questions are open.
   */
  probe(key: string, timeoutMs: number, callback: ProbeCallback): void {
    checkPositive('timeoutMs', timeoutMs);
    const backend = this.#backends.get(key);
    if (backend === undefined || !this.#tellsLoad(backend) || this.#probes.isFull) {
      callback(undefined);
      return;
    }
    const now = this.#now();
    const sequence = this.#nextSequence();
    this.#probes.add(sequence, backend, now + timeoutMs, callback);
    this.#alarm.set(this.#probes.dueMs);
    if (backend.check.way !== 'http' && this.#options.mode !== 'http') backend.sendProbe(sequence);
    else {
      backend.check.askPage(now);
      this.#reschedule(backend);
    }
  }

  snapshot(key: string): HealthSnapshot | undefined {
    const check = this.#backends.get(key)?.check;
    return check?.record.snapshot(check.way);
  }

  close(): void {
    this.#isClosed = true;
    this.#alarm.close();
    this.#parts.lookup.close();
    for (const key of [...this.#backends.keys()]) this.remove(key);
    this.#parts.link.close();
  }

  /** A page that is asked for its status has none in it, unless it has shown one. */
  #tellsLoad({ check }: MonitoredBackend): boolean {
    return check.way !== 'none' && (this.#options.path === undefined || check.record.state !== undefined);
  }

  #now(): number {
    return this.#environment.monotonicMs();
  }

  /** One count for all questions: a probe's answer is then told from a check's by its number alone. */
  #nextSequence(): number {
    this.#sequence = (this.#sequence + 1) >>> 0;
    return this.#sequence;
  }

  #reschedule(backend: MonitoredBackend): void {
    if (backend.isClosed) return;
    this.#queue.set(backend, backend.check.dueMs);
    this.#alarm.set(backend.dueMs);
  }

  #run(): void {
    const now = this.#now();
    try {
      this.#probes.expire(now);
      for (let count = 0; count < MOST_PER_RUN; count++) {
        const { first } = this.#queue;
        if (first === undefined || first.dueMs > now) return;
        first.check.run(now);
        this.#reschedule(first);
      }
    } finally {
      // Also when a listener has thrown: all others are still to be asked.
      this.#alarm.set(Math.min(this.#probes.dueMs, this.#queue.first?.dueMs ?? Number.POSITIVE_INFINITY));
    }
  }

  #receive(bytes: Buffer, address: string, port: number): void {
    const datagram = decodeServerDatagram(bytes);
    const backend = datagram === undefined ? undefined : this.#byToken.get(tokenKey(datagram.token));
    if (datagram === undefined || backend === undefined) {
      this.#strays++;
      return;
    }
    if (!backend.isAt(address, port) || !this.#accept(datagram, backend)) backend.check.record.dropped++;
    this.#reschedule(backend);
  }

  #accept(datagram: ServerDatagram, backend: MonitoredBackend): boolean {
    const now = this.#now();
    if (datagram.kind === 'push') {
      backend.acknowledge(datagram);
      backend.check.onPush(datagram, now);
      return true;
    }
    if (backend.check.onAnswer(datagram, now)) return true;
    if (!this.#probes.isOpen(datagram.sequence, backend)) return false;
    // First that it is a lame duck, if it is: nobody should choose it for being idle.
    backend.check.onProbeAnswer(datagram, now);
    this.#probes.answer(datagram.sequence, backend, reportOf(datagram));
    return true;
  }
}

/** The load of one that wants requests. How idle a lame duck is must tempt nobody. */
function reportOf(health: Health | undefined) {
  return health?.state === 'ready' ? health.report : undefined;
}
