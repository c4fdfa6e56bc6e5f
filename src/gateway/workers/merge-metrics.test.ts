import { expect, it } from 'vitest';
import { mergeMetrics } from './merge-metrics.js';

const ONE = `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{route="a \\"{b}\\" c"} 3
requests_total{route="d"} 4 1700000000000
# HELP latency How long.
# TYPE latency histogram
latency_bucket{le="1"} 2
latency_count 2
# UNIT of_no_interest
# TYPE loop gauge
loop{} NaN
`;
const TWO = `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{route="d"} 5
# TYPE only_here gauge
only_here 1
bare 7
`;

it('says of which worker each series is, and what it is about once', () => {
  const merged = mergeMetrics(
    new Map([
      ['1', ONE],
      ['2', TWO],
    ]),
  );
  expect(merged).toBe(`# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{worker="1",route="a \\"{b}\\" c"} 3
requests_total{worker="1",route="d"} 4 1700000000000
requests_total{worker="2",route="d"} 5
# HELP latency How long.
# TYPE latency histogram
latency_bucket{worker="1",le="1"} 2
latency_count{worker="1"} 2
# TYPE loop gauge
loop{worker="1"} NaN
# TYPE only_here gauge
only_here{worker="2"} 1
bare{worker="2"} 7
`);
});

it('has nothing to say of nothing', () => {
  expect(mergeMetrics(new Map())).toBe('');
  expect(mergeMetrics(new Map([['1', '\n%%%\n']]))).toBe('');
});
