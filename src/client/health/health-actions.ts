import type { GateState, PageVerdict } from '../../core/index.js';
import type { Health } from '../../wire/index.js';

/** How something was heard: an answer by UDP, news by UDP that nobody asked for, a line of a stream, a page. */
export type HealthVia = 'udp' | 'push' | 'watch' | 'page';

/** By which way a backend is asked: not known yet, or none because it has no health to tell. */
export type HealthWay = 'udp' | 'http' | 'none' | 'unknown';

/** What a page that is asked for its status has answered. */
export interface PageStatus {
  readonly status: number;
}

/** What became of a page: how the backend is, that it has no such page, or no answer that says anything. */
export type PageResult = Health | PageStatus | 'none' | 'failed';

/** Why a stream ended: there was an answer, but no stream; or it broke off, or never came about. */
export type WatchEnd = 'refused' | 'broken';

/** What a check has others do. None of these calls back before it returns, except the last three. */
export interface HealthActions {
  /** Sends a check by UDP; returns the number that it carries. */
  sendCheck(): number;
  /** Has the backend's name looked up anew. */
  resolve(): void;
  /** False when there are too many already. */
  openWatch(): boolean;
  closeWatch(): void;
  /** False when there are too many already. */
  askPage(): boolean;
  cancelPage(): void;
  tell(health: Health, via: HealthVia): void;
  /** What its page makes of it, when that changes. */
  judge(verdict: PageVerdict): void;
  silent(): void;
}

/** How a backend is watched, as plain data. */
export interface HealthSnapshot {
  readonly via: HealthWay;
  /** What it last said; undefined when it never said anything. */
  readonly state?: GateState;
  /** What its page answered last, where that is asked for its status; undefined when it did not. */
  readonly status?: number;
  /** When, on the monotonic clock. */
  readonly lastHeardMs?: number;
  /** Questions: checks, probes, pages and streams. */
  readonly sent: number;
  /** Answers, pushes, pages and lines that were believed. */
  readonly answered: number;
  /** Those in its name that were not. */
  readonly dropped: number;
}
