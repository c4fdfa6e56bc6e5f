import { PageJudge, type Random, verdictOf } from '../../core/index.js';
import type { Health, ServerDatagram } from '../../wire/index.js';
import type { HealthPace } from './check-interval.js';
import { CheckSchedule } from './check-schedule.js';
import type { HealthActions, HealthVia, HealthWay, PageResult, WatchEnd } from './health-actions.js';
import type { HealthOptions } from './health-options.js';
import { HealthRecord } from './health-record.js';
import { HttpCheck } from './http-check.js';
import { UdpExchange } from './udp-exchange.js';

/**
 * Decides how one backend is asked how it is, when, and what may be believed: everything but sockets and timers.
 * UDP first. Where that was never answered, HTTP too; whichever answers is the way from then on, and UDP is tried again
 * now and then, being the cheaper one. Where UDP was answered and no longer is, a page has the last word before the
 * backend is called silent. One that is silent is asked both ways until it is heard again.
 */
export class HealthCheck {
  readonly record = new HealthRecord();
  readonly #actions: HealthActions;
  readonly #options: HealthOptions;
  readonly #schedule: CheckSchedule;
  readonly #http: HttpCheck;
  /** Where a page is asked for its status. */
  readonly #judge: PageJudge | undefined;
  #udp: UdpExchange;
  #way: HealthWay = 'unknown';
  /** On HTTP: when UDP is tried again. */
  #udpRetryMs = Number.POSITIVE_INFINITY;
  /** In a row: checks by UDP without an answer, and streams and pages that failed. */
  #unanswered = 0;
  #failures = 0;

  constructor(actions: HealthActions, options: HealthOptions, random: Random, now: number) {
    this.#actions = actions;
    this.#options = options;
    this.#schedule = new CheckSchedule(options, random, now);
    this.#http = new HttpCheck(actions, options, this.record, this.#schedule);
    this.#udp = new UdpExchange(options);
    const { path, unhealthyAfter, healthyAfter } = options;
    this.#judge = path === undefined ? undefined : new PageJudge({ unhealthyAfter, healthyAfter });
    if (options.mode === 'off') this.#beNone(Number.POSITIVE_INFINITY);
  }

  /** When `run` is to be called. */
  get dueMs(): number {
    return Math.min(this.#schedule.nextMs, this.#udp.dueMs, this.#udpRetryMs, this.#http.dueMs);
  }

  get way(): HealthWay {
    return this.#way;
  }

  /** To be repeated by whatever is sent by UDP. */
  get cookie(): Uint8Array {
    return this.#udp.cookie;
  }

  setPace(pace: HealthPace, now: number): void {
    if (pace === this.#schedule.pace) return;
    this.#schedule.setPace(pace);
    if (this.#way === 'none') return;
    if (pace === 'inactive') this.#http.stopWatching();
    if (this.#http.isWatching) return;
    if (pace === 'active') this.#schedule.soon(now);
    // One that is in doubt, or was never heard, is not left alone for longer.
    else if (this.#way === 'unknown' || this.#unanswered > 0) this.#schedule.byPace(now);
    else this.#schedule.atPace(now);
  }

  checkSoon(now: number): void {
    if (this.#way !== 'none') this.#schedule.soon(now);
  }

  /** For somebody who waits for the load report in it. */
  askPage(now: number): void {
    this.#http.askPage(now);
  }

  /** It is at another address: what was asked cannot be answered from there. */
  onMoved(now: number): void {
    this.#udp = new UdpExchange(this.#options);
    this.checkSoon(now);
  }

  run(now: number): void {
    const overdue = this.#udp.expire(now);
    if (overdue > 0) this.#onUnanswered(overdue, now);
    if (this.#http.expirePage(now)) this.onPage('failed', now);
    if (this.#http.expireWatch(now)) this.onWatchEnd('broken', now);
    if (now >= this.#schedule.nextMs) this.#check(now);
    if (now >= this.#udpRetryMs) {
      this.#udpRetryMs = now + this.#schedule.spread(this.#options.retryWayMs);
      this.#sendCheck(now);
    }
  }

  /** An answer to a check; false when it answers no open one. */
  onAnswer({ sequence, cookie, state, report }: ServerDatagram, now: number): boolean {
    const worth = this.#udp.answer(sequence, now);
    if (worth === undefined) return false;
    this.#onUdp(cookie, now);
    if (worth === 'outdated' && state !== this.record.state) this.checkSoon(now);
    else this.#tell({ state, report }, 'udp');
    return true;
  }

  /** An answer to a question that others keep count of. */
  onProbeAnswer({ cookie, state, report }: ServerDatagram, now: number): void {
    this.#onUdp(cookie, now);
    this.#tell({ state, report }, 'udp');
  }

  /** News; what has been told already is not told again. */
  onPush(push: ServerDatagram, now: number): void {
    if (!this.#udp.isNews(push, now)) return;
    this.#onUdp(undefined, now);
    this.#tell({ state: push.state, report: push.report }, 'push');
  }

  onLine(health: Health, now: number): void {
    // No checks are needed beside it. One that lasts is worth coming back to at once; one that breaks soon is not.
    if (this.#http.onLine(now)) this.#schedule.never();
    else this.#schedule.restartBackoff();
    this.#onHttp(now);
    this.#tell(health, 'watch');
  }

  onWatchEnd(end: WatchEnd, now: number): void {
    const wasEstablished = this.#http.isEstablished;
    this.#http.onWatchEnd(end === 'refused', now);
    if (end === 'refused') {
      this.#http.askPage(now);
      this.#schedule.byPace(now);
    } else if (wasEstablished) this.#schedule.byBackoff(now);
    else this.#onHttpFailed(now);
  }

  onPage(result: PageResult, now: number): void {
    this.#http.onPage();
    if (this.#judge !== undefined) {
      this.#onStatus(this.#judge, result, now);
      return;
    }
    // Beside a stream that speaks, a page that says nothing means nothing.
    if (typeof result === 'string' && this.#http.isEstablished) return;
    if (result === 'none') this.#beNone(now + this.#schedule.spread(this.#options.retryNoneMs));
    else if (result === 'failed') this.#onHttpFailed(now);
    else if ('state' in result) {
      const isNewWay = this.#way !== 'http';
      this.#onHttp(now);
      if (isNewWay) this.#http.settle(now);
      this.#tell(result, 'page');
    }
  }

  stop(): void {
    this.#beNone(Number.POSITIVE_INFINITY);
  }

  #check(now: number): void {
    this.#schedule.onCheck(now);
    if (this.#way === 'none') this.#startOver(0);
    if (this.#way === 'http') {
      this.#http.check(now);
      return;
    }
    const { mode, silentAfter } = this.#options;
    const isDown = this.#way === 'unknown' && (mode === 'http' || this.#unanswered >= silentAfter);
    if (isDown) this.#schedule.atBackoff(now);
    else this.#schedule.atPace(now);
    if (mode !== 'http') this.#sendCheck(now);
    if (isDown && mode !== 'udp') this.#http.attempt(now);
  }

  #sendCheck(now: number): void {
    this.record.sent++;
    this.#udp.ask(this.#actions.sendCheck(), now);
  }

  #onUnanswered(count: number, now: number): void {
    const { silentAfter, activeMs, downMs, mode } = this.#options;
    const before = this.#unanswered;
    // Beside a way that works it is only known once more that UDP does not. Its name may stand for another address by now.
    if (this.#way === 'http') this.#actions.resolve();
    if (this.#way === 'http' || this.#way === 'none') return;
    this.#unanswered += count;
    if (this.#unanswered < silentAfter) {
      // In doubt, the pace does not matter. One that was never heard has no reason to be given time.
      this.#schedule.by(now + this.#schedule.spread(this.#way === 'udp' ? activeMs : downMs));
    } else if (this.#way === 'unknown') {
      if (this.#unanswered % silentAfter === 0) this.#actions.resolve();
      if (before < silentAfter) this.#schedule.soon(now);
    } else if (mode === 'udp') this.#beSilent(now);
    // When no page can be asked for, the next check that is not answered tries again.
    else if (!this.#http.isAsking && !this.#http.askPage(now)) this.#unanswered = silentAfter - 1;
  }

  /** Whatever it answers, it has answered; that nobody does may be a way that is cut, which a new connection shows. */
  #onStatus(judge: PageJudge, result: PageResult, now: number): void {
    const page = typeof result === 'string' ? undefined : result;
    const health = page !== undefined && 'state' in page ? page : undefined;
    this.record.status = page !== undefined && 'status' in page ? page.status : undefined;
    const isNewWay = page !== undefined && this.#way !== 'http';
    if (page !== undefined) this.#onHttp(now);
    if (isNewWay) this.#http.settle(now);
    const verdict = judge.learn(health === undefined ? verdictOf(this.record.status) : 'well');
    if (judge.isInDoubt) this.#schedule.by(now + this.#schedule.spread(this.#options.downMs));
    if (verdict !== undefined) this.#actions.judge(verdict);
    if (health !== undefined) this.#tell(health, 'page');
    if (page === undefined) this.#onHttpFailed(now);
  }

  #onHttpFailed(now: number): void {
    if (this.#way === 'udp') this.#beSilent(now);
    if (this.#way !== 'http') return;
    this.#failures++;
    if (this.#failures >= this.#options.silentAfter) this.#beSilent(now);
    else this.#schedule.byBackoff(now);
  }

  #onUdp(cookie: Uint8Array | undefined, now: number): void {
    this.record.onHeard(now);
    this.#unanswered = 0;
    this.#http.stop();
    if (this.#way !== 'udp') {
      this.#way = 'udp';
      this.#udpRetryMs = Number.POSITIVE_INFINITY;
      this.#schedule.restart();
      this.#schedule.atPace(now);
    }
    if (cookie !== undefined && this.#udp.keepCookie(cookie, now)) this.#schedule.by(now);
  }

  #onHttp(now: number): void {
    this.record.onHeard(now);
    this.#failures = 0;
    this.#unanswered = 0;
    if (this.#way === 'http') return;
    this.#way = 'http';
    if (this.#options.mode !== 'http')
      this.#udpRetryMs = now + this.#schedule.spread(this.#options.retryWayMs);
  }

  #tell(health: Health, via: HealthVia): void {
    this.record.state = health.state;
    // Last of all: who hears it may change the pace, or remove the backend.
    this.#actions.tell(health, via);
  }

  #beNone(untilMs: number): void {
    this.#http.stop();
    this.#way = 'none';
    this.#schedule.at(untilMs);
    this.#udpRetryMs = Number.POSITIVE_INFINITY;
  }

  #startOver(unanswered: number): void {
    this.#way = 'unknown';
    this.#unanswered = unanswered;
    this.#failures = 0;
    this.#udpRetryMs = Number.POSITIVE_INFINITY;
    this.#schedule.restart();
  }

  /** Only from a way that worked, so that it is said once. */
  #beSilent(now: number): void {
    this.#http.stop();
    this.#startOver(this.#options.silentAfter);
    this.#schedule.atBackoff(now);
    this.#actions.resolve();
    this.#actions.silent();
  }
}
