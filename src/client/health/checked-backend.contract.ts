import type { GateState, PageVerdict, Random } from '../../core/index.js';
import type { ServerDatagram } from '../../wire/index.js';
import type { HealthActions, HealthVia } from './health-actions.js';
import { HealthCheck } from './health-check.js';
import { checkHealthOptions, type HealthOptions } from './health-options.js';

/** A check on a virtual clock, and a backend that answers it as it is told to. */
export class CheckedBackend implements HealthActions {
  readonly check: HealthCheck;
  now = 0;
  /** What the check did: `12 check`, `12 watch` … with its time. */
  readonly log: string[] = [];
  readonly heard: string[] = [];
  silences = 0;
  resolved = 0;
  /** How the backend takes what comes. */
  udp = false;
  http: 'broken' | 'none' | 'page' | 'watch' | 'still' | number = 'broken';
  state: GateState = 'ready';
  cookie = 1;
  canWatch = true;
  canAsk = true;
  isWatched = false;
  isAsked = false;
  onTell: (via: HealthVia) => void = () => {};
  #sequence = 0;
  #later: (() => void)[] = [];

  constructor(options: Partial<HealthOptions> = {}, random: Random = () => 0.5) {
    this.check = new HealthCheck(this, checkHealthOptions(options), random, 0);
  }

  datagram(kind: 'answer' | 'push', sequence: number, state = this.state): ServerDatagram {
    return {
      kind,
      token: Buffer.alloc(16),
      cookie: Buffer.alloc(8, this.cookie),
      sequence,
      state,
      report: {},
    };
  }

  sendCheck(): number {
    const sequence = ++this.#sequence;
    this.#note('check');
    if (this.udp) this.#later.push(() => this.check.onAnswer(this.datagram('answer', sequence), this.now));
    return sequence;
  }

  resolve(): void {
    this.resolved++;
  }

  openWatch(): boolean {
    if (!this.canWatch) return false;
    this.#note('watch');
    this.isWatched = true;
    this.#later.push(() => this.#answerWatch());
    return true;
  }

  closeWatch(): void {
    this.#note('unwatch');
    this.isWatched = false;
  }

  askPage(): boolean {
    if (!this.canAsk) return false;
    this.#note('page');
    this.isAsked = true;
    this.#later.push(() => this.#answerPage());
    return true;
  }

  cancelPage(): void {
    this.#note('cancel');
    this.isAsked = false;
  }

  tell({ state }: { state: GateState }, via: HealthVia): void {
    this.heard.push(`${via} ${state}`);
    this.onTell(via);
  }

  judge(verdict: PageVerdict): void {
    this.heard.push(verdict);
  }

  silent(): void {
    this.silences++;
  }

  /** A heartbeat, or a change. */
  line(): void {
    this.check.onLine({ state: this.state, report: {} }, this.now);
  }

  breakWatch(): void {
    this.isWatched = false;
    this.check.onWatchEnd('broken', this.now);
  }

  /** Lets time pass, doing what is due, answers coming at once. Heartbeats come each second. */
  pass(ms: number): this {
    const endMs = this.now + ms;
    for (;;) {
      for (const answer of this.#later.splice(0)) answer();
      const beatMs =
        this.isWatched && this.http === 'watch' ? Math.floor(this.now / 1_000 + 1) * 1_000 : endMs;
      const nextMs = Math.min(this.check.dueMs, beatMs);
      if (nextMs >= endMs) break;
      this.now = Math.max(this.now, nextMs);
      if (nextMs === beatMs) this.line();
      this.check.run(this.now);
    }
    this.now = endMs;
    return this;
  }

  /** When something was done, from now on forgotten. */
  times(what: string): number[] {
    const times = this.log.filter((entry) => entry.endsWith(` ${what}`)).map(Number.parseFloat);
    this.log.length = 0;
    return times;
  }

  #note(what: string): void {
    this.log.push(`${Math.round(this.now)} ${what}`);
  }

  #answerWatch(): void {
    if (!this.isWatched || this.http === 'still') return;
    if (this.http === 'watch') {
      this.line();
      return;
    }
    this.isWatched = false;
    this.check.onWatchEnd(this.http === 'broken' ? 'broken' : 'refused', this.now);
  }

  #answerPage(): void {
    if (!this.isAsked || this.http === 'still') return;
    this.isAsked = false;
    if (this.http === 'broken') this.check.onPage('failed', this.now);
    else if (typeof this.http === 'number') this.check.onPage({ status: this.http }, this.now);
    else this.check.onPage(this.http === 'none' ? 'none' : { state: this.state, report: {} }, this.now);
  }
}
