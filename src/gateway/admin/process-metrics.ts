import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';

/** Delays of requests show in steps of 10 ms; two look-ups in each cost nothing. */
const RESOLUTION_MS = 10;
const NANO = 1e9;

/**
 * What every process has, by the names that Prometheus' own libraries use: dashboards of others show them as they are.
 * Lag is of the time since somebody last asked.
 */
export class ProcessMetrics {
  readonly #lag: IntervalHistogram;

  constructor() {
    this.#lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#lag.enable();
  }

  register(meter: Meter): void {
    const gauge = (name: string, description: string, read: () => number) =>
      meter.createObservableGauge(name, { description }).addCallback((result) => result.observe(read()));
    meter
      .createObservableCounter('process.cpu.seconds', { description: 'CPU time of this process', unit: 's' })
      .addCallback((result) => {
        const { user, system } = process.cpuUsage();
        result.observe((user + system) / 1e6);
      });
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    gauge('process.resident.memory.bytes', 'Memory that this process takes', () => rss);
    gauge('nodejs.heap.size.total.bytes', 'The heap of JavaScript', () => heapTotal);
    gauge('nodejs.heap.size.used.bytes', 'What of it is in use', () => heapUsed);
    gauge('nodejs.external.memory.bytes', 'Memory of objects outside of the heap', () => external);
    const startSeconds = Date.now() / 1_000 - process.uptime();
    gauge('process.start.time.seconds', 'When this process began, in Unix time', () => startSeconds);
    const { mean, p99, max } = this.#readLag();
    gauge('nodejs.eventloop.lag.mean.seconds', 'How late timers were since the last look', () => mean);
    gauge('nodejs.eventloop.lag.p99.seconds', 'All but 1 % of them were less late', () => p99);
    gauge('nodejs.eventloop.lag.max.seconds', 'The latest of them', () => max);
  }

  close(): void {
    this.#lag.disable();
  }

  /** Nothing was measured yet: nothing was late. */
  #readLag(): { mean: number; p99: number; max: number } {
    const { mean, max } = this.#lag;
    const p99 = this.#lag.percentile(99);
    const isEmpty = Number.isNaN(mean);
    this.#lag.reset();
    // The timer itself takes as long as its resolution.
    const late = (ns: number) => (isEmpty ? 0 : Math.max(0, ns / NANO - RESOLUTION_MS / 1_000));
    return { mean: late(mean), p99: late(p99), max: late(max) };
  }
}
