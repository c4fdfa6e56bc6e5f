import { expect, it } from 'vitest';
import { mergeMetrics } from './merge-metrics.js';
import { primaryMetrics } from './primary-metrics.js';

const PRIMARY = {
  state: 'ready',
  pid: 7,
  workers: 2,
  reloads: 3,
  failedReloads: 2,
  quota: undefined,
} as const;
const WORKER = `# HELP plimsoll_gateway_reloads_total Settings that came to hold, and those that did not
# TYPE plimsoll_gateway_reloads_total counter
plimsoll_gateway_reloads_total{outcome="ok"} 3
plimsoll_gateway_reloads_total{outcome="failed"} 0
# TYPE plimsoll_gateway_ready gauge
plimsoll_gateway_ready 1
`;

it('says how often settings were refused before any worker had seen them, beside what workers say', () => {
  const merged = mergeMetrics(
    new Map([
      ['1', WORKER],
      ['primary', primaryMetrics(PRIMARY)],
    ]),
  );
  expect(
    merged,
  ).toBe(`# HELP plimsoll_gateway_reloads_total Settings that came to hold, and those that did not
# TYPE plimsoll_gateway_reloads_total counter
plimsoll_gateway_reloads_total{worker="1",outcome="ok"} 3
plimsoll_gateway_reloads_total{worker="1",outcome="failed"} 0
plimsoll_gateway_reloads_total{worker="primary",outcome="ok"} 3
plimsoll_gateway_reloads_total{worker="primary",outcome="failed"} 2
# TYPE plimsoll_gateway_ready gauge
plimsoll_gateway_ready{worker="1"} 1
`);
});

it('says it when no worker answers, too', () => {
  expect(mergeMetrics(new Map([['primary', primaryMetrics(PRIMARY)]]))).toContain(
    'plimsoll_gateway_reloads_total{worker="primary",outcome="failed"} 2\n',
  );
});
