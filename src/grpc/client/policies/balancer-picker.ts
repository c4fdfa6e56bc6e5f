import type { Metadata } from '@grpc/grpc-js';
import {
  allBusyError,
  type BackendPick,
  type NoPick,
  noBackendError,
  type RejectedError,
  type WaitingLineOptions,
} from '../../../core/index.js';
import { type AttemptProgress, progressOf } from '../attempt-progress.js';
import { refusedStatus } from '../refused-status.js';
import type { Balancer } from './balancer.js';
import { COMPLETE, FAIL, type GrpcPicker, type PickArgs, type PickResult, QUEUE } from './grpc-api.js';
import { PickedCall } from './picked-call.js';
import { UnstartedPicks } from './unstarted-picks.js';
import { WaitingPicks } from './waiting-picks.js';

const WAIT: PickResult = Object.freeze({
  pickResultType: QUEUE,
  subchannel: null,
  status: null,
  onCallStarted: null,
  onCallEnded: null,
});

/** Answers grpc-js's questions by our picker. One object for good: who may be picked is the roster's to know. */
export class BalancerPicker implements GrpcPicker {
  readonly #balancer: Balancer;
  readonly #waiting: WaitingPicks;
  readonly #unstarted = new UnstartedPicks();

  constructor(balancer: Balancer, waiting: WaitingLineOptions, askAgain: () => void) {
    this.#balancer = balancer;
    this.#waiting = new WaitingPicks(waiting, askAgain);
  }

  pick(args: PickArgs): PickResult {
    const { metadata } = args;
    const { environment, picker, probes } = this.#balancer;
    const now = environment.monotonicMs();
    const progress = progressOf(metadata);
    if (progress !== undefined) {
      progress.isFollowed = true;
      progress.isStarted = false;
      progress.backend = undefined;
      progress.rejection = undefined;
    }
    const pick = picker.pick(now);
    if (typeof pick === 'string') return this.#withoutPick(pick, args, progress, now);
    this.#waiting.leave(args.extraPickInfo);
    probes?.send(now);
    return this.#complete(pick, args, progress, now);
  }

  /** Calls that wait for one at its limit. */
  get waiting(): number {
    return this.#waiting.count;
  }

  onRoom(): void {
    this.#waiting.onRoom();
  }

  /** Before the channel is told of anything: each time it asks anew for every call that waits. */
  recount(): void {
    this.#waiting.recount();
  }

  close(): void {
    this.#waiting.close();
  }

  #complete(
    pick: BackendPick,
    args: PickArgs,
    progress: AttemptProgress | undefined,
    now: number,
  ): PickResult {
    const link = this.#balancer.linkOf(pick.backend);
    const result = link?.pick(args);
    if (link === undefined || result?.pickResultType !== COMPLETE) {
      // The leaf has lost its connection, and tells of it in a moment.
      pick.done('aborted', now);
      return result ?? WAIT;
    }
    if (progress !== undefined) progress.backend = link.key;
    const call = new PickedCall(this.#balancer, pick, link, progress);
    this.#unstarted.add(call);
    const { onCallStarted, onCallEnded } = result;
    return {
      ...result,
      onCallStarted: () => {
        call.onStarted();
        onCallStarted?.();
      },
      onCallEnded: (code, details, trailers) => {
        call.onEnded(code, details, trailers);
        onCallEnded?.(code, details, trailers);
      },
    };
  }

  #withoutPick(
    why: NoPick,
    { metadata, extraPickInfo }: PickArgs,
    progress: AttemptProgress | undefined,
    now: number,
  ): PickResult {
    const { roster, isHopeful, lastError } = this.#balancer;
    if (why === 'no-backend') {
      if (isHopeful) return WAIT;
      const error = noBackendError(roster);
      if (lastError !== undefined) error.message += `; ${lastError}`;
      return refuse(error, metadata, progress);
    }
    const waitedMs = this.#waiting.overdueMs(extraPickInfo, now);
    if (waitedMs === undefined) return WAIT;
    const backends = roster.snapshot(now).backends.length;
    const error = allBusyError({ backends, activeLimit: roster.activeLimit, waitedMs });
    return refuse(error, metadata, progress);
  }
}

function refuse(error: RejectedError, like: Metadata, progress: AttemptProgress | undefined): PickResult {
  if (progress !== undefined) progress.rejection = error;
  const { code, details, metadata } = refusedStatus(error, like);
  const status = { code, details, metadata };
  return { pickResultType: FAIL, subchannel: null, status, onCallStarted: null, onCallEnded: null };
}
