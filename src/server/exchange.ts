import type { AnswerName } from '../wire/index.js';
import type { CpuMeter } from './cpu/index.js';
import type { GuardedRequest } from './guarded-request.js';

/** What the guard does to a request in the words of the protocol that it came by. */
export interface Exchange {
  /** Refuses one that was let in, and has not begun. */
  refuse(request: GuardedRequest, name: AnswerName): void;
  /** It begins: events of what its client still sends are part of it, whoever emits them. */
  bind(request: GuardedRequest, meter: CpuMeter): void;
  /** Whether it was answered with an error of ours. */
  isError(request: GuardedRequest): boolean;
  /** It runs, and only because its client is slow, or wants it to go on. */
  isWaitingForClient(request: GuardedRequest, now: number): boolean;
  /** The time is over while it runs: we answer for it, and what its handler still says is not heard. */
  cutOff(request: GuardedRequest): void;
}
