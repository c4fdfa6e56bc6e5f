import { Buffer } from 'node:buffer';
import { elapsedMs } from '../../core/index.js';
import { COOKIE_BYTES, type ServerDatagram } from '../../wire/index.js';
import type { HealthOptions } from './health-options.js';

/** A check that has not been answered. */
interface Question {
  readonly sequence: number;
  readonly sentMs: number;
  /** It has been counted as unanswered; an answer is welcome all the same. */
  isOverdue: boolean;
}

/** More checks than go out while one may still be answered. */
const MOST_QUESTIONS = 8;

/** An answer may be late by a pause of either side, or by a far way; later than this it tells of another time. */
const LATEST_ANSWER_MS = 2_000;

/**
 * What was asked of one backend by UDP and what may come back: an answer only to a question that is open, each push
 * once. Whose token and address it has is looked at before.
 */
export class UdpExchange {
  readonly #answerTimeoutMs: number;
  readonly #proofPauseMs: number;
  /** The newest that the server told; zeros at first. */
  #cookie: Buffer = Buffer.alloc(COOKIE_BYTES);
  #questions: Question[] = [];
  #pushCookie: Buffer | undefined;
  #pushSequence = 0;
  #lastPushMs = Number.NEGATIVE_INFINITY;
  #lastProofMs = Number.NEGATIVE_INFINITY;

  constructor({ answerTimeoutMs, activeMs }: HealthOptions) {
    this.#answerTimeoutMs = answerTimeoutMs;
    this.#proofPauseMs = activeMs;
  }

  get cookie(): Buffer {
    return this.#cookie;
  }

  /** When the next question will be overdue. */
  get dueMs(): number {
    const next = this.#questions.find(({ isOverdue }) => !isOverdue);
    return next === undefined ? Number.POSITIVE_INFINITY : next.sentMs + this.#answerTimeoutMs;
  }

  ask(sequence: number, now: number): void {
    if (this.#questions.length >= MOST_QUESTIONS) this.#questions.shift();
    this.#questions.push({ sequence, sentMs: now, isOverdue: false });
  }

  /** How many questions have become overdue. */
  expire(now: number): number {
    let count = 0;
    for (const question of this.#questions) {
      if (question.isOverdue || question.sentMs + this.#answerTimeoutMs > now) continue;
      question.isOverdue = true;
      count++;
    }
    this.#questions = this.#questions.filter(({ sentMs }) => elapsedMs(sentMs, now) < LATEST_ANSWER_MS);
    return count;
  }

  /**
   * What an answer is worth; undefined when no such question is open. One that was asked before a push came may have been
   * answered before that was sent: the push knows better.
   */
  answer(sequence: number, now: number): 'current' | 'outdated' | undefined {
    const at = this.#questions.findIndex((question) => question.sequence === sequence);
    if (at < 0) return undefined;
    const { sentMs } = this.#questions[at]!;
    // Whatever was asked before it need not be waited for: the backend has been heard.
    for (const question of this.#questions.slice(0, at)) question.isOverdue = true;
    this.#questions.splice(at, 1);
    if (elapsedMs(sentMs, now) >= LATEST_ANSWER_MS) return undefined;
    return sentMs <= this.#lastPushMs ? 'outdated' : 'current';
  }

  /**
   * Keeps the cookie that came with an answer. Whether it should be repeated now: who does is told of changes, and that
   * should not wait for the next check. Not every time, though, however often it changes.
   */
  keepCookie(cookie: Uint8Array, now: number): boolean {
    if (this.#cookie.equals(cookie)) return false;
    // Copied: what comes off a socket is a view of something larger.
    this.#cookie = Buffer.from(cookie);
    if (elapsedMs(this.#lastProofMs, now) < this.#proofPauseMs) return false;
    this.#lastProofMs = now;
    return true;
  }

  /**
   * Whether a push tells something new: the same is sent until it is acknowledged, and an old one may come late. A server
   * that was started again counts from one; it is told apart by its cookies.
   */
  isNews({ cookie, sequence }: ServerDatagram, now: number): boolean {
    const isSameServer = this.#pushCookie?.equals(cookie) === true;
    // Numbers of 32 bits that wrap around: the later one is less than half the circle ahead.
    if (isSameServer && ((sequence - this.#pushSequence) | 0) <= 0) return false;
    this.#pushCookie = Buffer.from(cookie);
    this.#pushSequence = sequence;
    this.#lastPushMs = now;
    return true;
  }
}
