import { describe, expect, it } from 'vitest';
import { zoneOutageScenario } from './zone-outage.js';

describe('zone-outage', () => {
  const { result, figures } = zoneOutageScenario.run({ seed: 0 });
  const sentTo = (phase: string, zone: string) =>
    result.rows.find((row) => row['phase'] === phase && row['zone'] === zone)?.['sentPerSecond'];

  it('fills the nearest zone first, none beyond its capacity, and refuses only what none can take', () => {
    expect(result.checks.filter(({ holds }) => !holds)).toEqual([]);
  });

  it('has a zone that dies, and a time in which there is too much for all', () => {
    expect(sentTo('zone a dead', 'a')).toBe(0);
    expect(sentTo('zone a dead', 'b')).toBeGreaterThan(2 * (sentTo('calm', 'b') as number));
    const spike = result.rows.find((row) => row['phase'] === 'too much for all');
    expect(spike?.['refusedPerSecond']).toBeGreaterThan(500);
  });

  it('draws what each zone was sent, with its capacity', () => {
    const [panel] = figures[0]!.panels;
    expect(panel).toMatchObject({ kind: 'lines', marks: [{ value: 1 }] });
    expect(panel?.kind === 'lines' && panel.lines.map(({ name }) => name)).toEqual([
      'zone a',
      'zone b',
      'zone c',
    ]);
  });
});
