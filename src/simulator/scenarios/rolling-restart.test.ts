import { describe, expect, it } from 'vitest';
import { rollingRestartScenario } from './rolling-restart.js';

describe('rolling-restart', () => {
  const { result, figures } = rollingRestartScenario.run({ seed: 0 });

  it('fails no request, and says what happens without the parts that make it so', () => {
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
    const failed = new Map(
      result.rows.filter(({ section }) => section === 'restarts').map((row) => [row['run'], row['failed']]),
    );
    expect(failed.get('no restart')).toBe(0);
    expect(failed.get('lame duck, then drain')).toBe(0);
    expect(failed.get('lame duck, no drain')).toBeGreaterThan(0);
    expect(failed.get('killed')).toBeGreaterThan(failed.get('lame duck, no drain') as number);
  });

  it('has traffic that must not be sent twice', () => {
    const writes = result.rows.find((row) => row['run'] === 'killed' && row['clients'] === 'writers');
    expect(writes?.['errorShare']).toBeGreaterThan(0);
    const reads = result.rows.find((row) => row['run'] === 'killed' && row['clients'] === 'readers');
    expect(reads?.['retriesShare']).toBeGreaterThan(0);
  });

  it('shows backends, answers and failures over time', () => {
    expect(figures[0]?.panels.map(({ title }) => title)).toEqual(['backends ready', 'answered', 'failed']);
  });
});
