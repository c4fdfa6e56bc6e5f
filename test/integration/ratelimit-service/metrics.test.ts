import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { startRateLimitService } from 'plimsoll/ratelimit-service';
import { afterAll, expect, it } from 'vitest';
import { RlsClient } from './rls-client.js';

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-rls-metrics-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('tells OpenTelemetry what was hit, near the limit and over it', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  const file = join(folder, 'rules.yaml');
  writeFileSync(
    file,
    'domain: d\ndescriptors: [{ key: a, rate_limit: { unit: day, requests_per_unit: 5 } }]\n',
  );
  const service = await startRateLimitService({ paths: [file], grpcPort: 0, httpPort: false, shadow: true });
  const client = new RlsClient(service.ports.grpc);
  expect(await client.words('d', ['a=x'], 7)).not.toContain('OVER');
  await reader.forceFlush();
  const points = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    .flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => [
        descriptor.name,
        Object.values(attributes).join(' '),
        value,
      ]),
    );
  expect(points).toEqual(
    expect.arrayContaining([
      ['plimsoll.ratelimit_service.hits', 'd.a total', 7],
      ['plimsoll.ratelimit_service.hits', 'd.a near_limit', 1],
      ['plimsoll.ratelimit_service.hits', 'd.a over_limit', 2],
      ['plimsoll.ratelimit_service.shadowed', '', 2],
      ['plimsoll.ratelimit_service.loads', 'ok', 1],
      ['plimsoll.ratelimit_service.store.failures', 'late', 0],
    ]),
  );
  client.close();
  await service.close();
  await provider.shutdown();
  metrics.disable();
});
