import type { ServiceDefinition } from '@grpc/grpc-js';
import type { LoadReport } from '../../core/index.js';
import { decodeReportRequest, encodeLoadReportMessage } from '../../wire/index.js';
import { type Boxed, methodOf } from './definition.js';
import { LongStreams, type StreamingCall } from './long-streams.js';

export const ORCA_DEFINITION: ServiceDefinition = {
  streamCoreMetrics: methodOf(
    '/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics',
    decodeReportRequest,
    encodeLoadReportMessage,
    true,
  ),
};

export const ORCA_PATHS: readonly string[] = Object.values(ORCA_DEFINITION).map(({ path }) => path);

/** Timers longer than this end at once (Node). */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Load reports out of band (gRFC A51), for clients that call seldom: at the pace that they ask for, within bounds. */
export class OrcaService {
  readonly #report: () => LoadReport;
  readonly #leastMs: number;
  readonly #streams: LongStreams;

  constructor(report: () => LoadReport, leastMs: number, maxStreams: number) {
    this.#report = report;
    this.#leastMs = leastMs;
    this.#streams = new LongStreams(maxStreams);
  }

  get implementation() {
    return { streamCoreMetrics: (call: StreamingCall) => this.#stream(call) };
  }

  close(): void {
    this.#streams.endAll();
  }

  #stream(call: StreamingCall): void {
    if (!this.#streams.add(call)) return;
    const wantedMs = Math.min((call.request as Boxed<number>).value, LONGEST_TIMER_MS);
    const tell = () => {
      // A report that nobody takes is old when it is taken: the next one is better.
      if (this.#streams.has(call) && !call.writableNeedDrain) call.write(this.#report());
    };
    const timer = setInterval(tell, Math.max(this.#leastMs, wantedMs)).unref();
    call.on('cancelled', () => clearInterval(timer));
    tell();
  }
}
