import { describe, expect, it } from 'vitest';
import { Thresholds } from '../../core/index.js';
import type { UtilizationReport } from '../signals/utilization.js';
import { type GuardSnapshot, whyOf } from './snapshot.js';

const gate = (utilization: number) =>
  ({ refusedShares: new Thresholds().explain(utilization) }) as GuardSnapshot['gate'];
const signals = {
  signals: [
    { name: 'heap', utilization: 0.3 },
    { name: 'queue-pressure', utilization: 1.1 },
  ],
} as unknown as UtilizationReport;

describe('why', () => {
  it('says what is refused and by which signal', () => {
    expect(whyOf('enforce', 'ready', gate(1.1), signals)).toBe(
      'refuses 100 % of SHEDDABLE, 100 % of SHEDDABLE_PLUS, 50 % of CRITICAL: queue-pressure is at 1.10 of its target',
    );
    expect(whyOf('dry-run', 'lame-duck', gate(0.85), signals)).toMatch(/^would refuse 50 % of SHEDDABLE: /);
  });

  it('says that nothing is, or all of it', () => {
    expect(whyOf('enforce', 'ready', gate(0.5), signals)).toBe('refuses nothing');
    expect(whyOf('enforce', 'starting', gate(0), signals)).toBe('refuses everything: it is starting');
    expect(whyOf('off', 'ready', gate(2), signals)).toBe('switched off: everything passes');
  });
});
