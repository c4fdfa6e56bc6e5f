import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterEach, beforeEach } from 'vitest';

export interface Series {
  readonly labels: Readonly<Record<string, unknown>>;
  readonly value: number;
}

/** The SDK of OpenTelemetry during each test: reads all series of an instrument, as they are now. */
export function collectMetrics(): (name: string) => Promise<Series[]> {
  let exporter: InMemoryMetricExporter;
  let reader: PeriodicExportingMetricReader;
  beforeEach(() => {
    exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  });
  afterEach(async () => {
    metrics.disable();
    await reader.shutdown();
  });
  return async (name) => {
    exporter.reset();
    await reader.forceFlush();
    const all = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    const found = all.find(({ descriptor }) => descriptor.name === name);
    const points = (found?.dataPoints ?? []) as DataPoint<number>[];
    return points.map(({ attributes, value }) => ({ labels: attributes, value }));
  };
}
