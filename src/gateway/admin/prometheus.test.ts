import { metrics } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { prometheusText } from './prometheus.js';
import { parsePrometheus, seriesValue } from './prometheus-text.contract.js';

const TRICKY = 'a "quoted"\\ name\nin two lines {x="y"} # ';

describe('prometheusText', () => {
  it('is what Prometheus reads, whatever stands in labels', async () => {
    const text = await prometheusText((meter) => {
      const counter = meter.createObservableCounter('things.seen', { description: 'Two\nlines', unit: 's' });
      counter.addCallback((result) => {
        result.observe(5, { kind: TRICKY });
        result.observe(0.25, { kind: 'plain' });
      });
      meter.createObservableGauge('level').addCallback((result) => result.observe(-1.5));
    });
    const read = parsePrometheus(text);
    expect(read.get('things_seen_total')).toMatchObject({ type: 'counter', help: 'Two\\nlines' });
    expect(seriesValue(read, 'things_seen_total', { kind: TRICKY })).toBe(5);
    expect(seriesValue(read, 'level')).toBe(-1.5);
    expect([...read.keys()]).toEqual(['things_seen_total', 'level']);
  });

  it('forgets what is gone from one reading to the next', async () => {
    const read = (kinds: string[]) =>
      prometheusText((meter) => {
        meter.createObservableCounter('seen').addCallback((result) => {
          for (const kind of kinds) result.observe(1, { kind });
        });
      });
    expect(await read(['a', 'b'])).toContain('kind="b"');
    expect(await read(['a'])).not.toContain('kind="b"');
  });

  it('leaves the provider of others alone', async () => {
    const before = metrics.getMeterProvider();
    await prometheusText(() => {});
    expect(metrics.getMeterProvider()).toBe(before);
  });

  it('rejects when something cannot be read', async () => {
    const reading = prometheusText((meter) => {
      meter.createObservableGauge('bad').addCallback(() => {
        throw new Error('no');
      });
    });
    await expect(reading).rejects.toThrow('no');
  });
});

describe('parsePrometheus', () => {
  it.each([
    ['# TYPE a gauge\na 1', 'no end'],
    ['a 1\n', 'not right after its type'],
    ['# TYPE a gauge\n# TYPE b gauge\na 1\n', 'not right after its type'],
    ['# TYPE a counter\na 1\n', 'no _total'],
    ['# TYPE a_total counter\na_total -1\n', 'below 0'],
    ['# TYPE a gauge\n# TYPE a gauge\n', 'typed twice'],
    ['# TYPE a gauge\na 1\na 2\n', 'a series twice'],
    ['# TYPE a gauge\na{x="1",y="2"} 1\na{y="2",x="1"} 2\n', 'a series twice'],
    ['# TYPE a gauge\na{x="1",x="2"} 1\n', 'a label twice'],
    ['# TYPE a gauge\na{x="\\t"} 1\n', 'no label'],
    ['# TYPE a gauge\na{x="""} 1\n', 'no label'],
    ['# TYPE a gauge\na{1="b"} 1\n', 'no label'],
    ['# TYPE a gauge\na one\n', 'no number'],
    ['# TYPE a gadget\na 1\n', 'no type'],
    ['# TYPE a-b gauge\n', 'no comment'],
  ])('refuses %j: %s', (text, why) => {
    expect(() => parsePrometheus(text)).toThrow(why);
  });
});
