import { enterRequest } from '../../context/index.js';
import { CpuLedger } from './cpu-ledger.js';
import { type Metered, RequestCpu } from './metered.js';
import { SliceClock } from './slice-clock.js';

interface MeasuredRequest extends Metered {
  readonly cpu: RequestCpu;
}

const books = new CpuLedger(10, 10, 0, 0, 0);

/** A request that is measured itself. */
export function measured({ isDear = false } = {}): MeasuredRequest {
  const request = { route: '/a', customer: 'mail', criticality: 'CRITICAL' } as Metered;
  request.cpu = new RequestCpu(request, books, { post() {} }, 0, isDear);
  return request as MeasuredRequest;
}

/** An event loop that works and idles as it is told. */
export class FakeLoop {
  nowMs = 1_000;
  idleTimeMs = 600;
  isHooked = false;
  /** What others have had of the processor while it was busy. */
  waitedMs = 0;
  readings = 0;
  canRead = true;
  #onSwitch = () => {};
  readonly clock = new SliceClock(
    { now: () => this.nowMs, idleMs: () => this.idleTimeMs },
    (onSwitch: () => void) => {
      this.#onSwitch = onSwitch;
      const hook = (isHooked: boolean) => {
        this.isHooked = isHooked;
      };
      return { enable: () => hook(true), disable: () => hook(false) };
    },
    () => (this.canRead ? () => this.#readCpu() : undefined),
  );

  #readCpu(): number {
    this.readings++;
    return this.nowMs - this.idleTimeMs - this.waitedMs;
  }

  /** A callback of the request, or of nobody. */
  runs(request: Metered | undefined, busyMs: number): void {
    if (request === undefined) this.#onSwitch();
    else enterRequest(request, this.#onSwitch, undefined, undefined);
    this.nowMs += busyMs;
  }

  works(busyMs: number): void {
    this.nowMs += busyMs;
  }

  /** Somebody else has the processor. */
  waits(ms: number): void {
    this.nowMs += ms;
    this.waitedMs += ms;
  }

  idles(idleMs: number): void {
    this.nowMs += idleMs;
    this.idleTimeMs += idleMs;
  }

  /** It has been busy for so long that its utilization is 1. */
  saturate(): void {
    this.clock.look();
    this.works(1_000);
    this.clock.look();
  }
}
