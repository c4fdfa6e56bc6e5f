import { describe, expect, it } from 'vitest';
import { QuotaMember } from '../../core/index.js';
import { QuotaDesk } from './quota-desk.js';
import { levelsOf, sendUsage } from './quota-messages.js';

const LIMITS = { customers: [{ customer: 'acme', perSecond: 100 }], everyoneElse: { perSecond: 1_000 } };
const EVERY_MS = 250;

function travelled<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Workers whose only customer wants so many a second of each; returns how many pass in the last ten seconds, a second. */
function run(wanted: readonly number[]): number {
  const desk = new QuotaDesk(LIMITS, wanted.length, 0);
  const members = wanted.map(() => new QuotaMember(LIMITS, { backends: wanted.length }));
  let passed = 0;
  const owed = wanted.map(() => 0);
  for (let now = 0; now < 30_000; now += 10) {
    for (const [worker, member] of members.entries()) {
      owed[worker]! += wanted[worker]! / 100;
      for (; owed[worker]! >= 1; owed[worker]!--) {
        const { enforcement } = member;
        if (enforcement.admit('acme', 'CRITICAL', (now * 0.618) % 1, now) === 'refuse') continue;
        enforcement.charge('acme', 'CRITICAL', 1, now);
        if (now >= 20_000) passed++;
      }
      if (now % EVERY_MS === 0) {
        member.tick(now);
        desk.report(worker, travelled(sendUsage(member.report(now))), now);
      }
    }
    if (now % EVERY_MS !== 0) continue;
    const levels = desk.divide(now);
    if (levels !== undefined) for (const member of members) member.hear(levelsOf(travelled(levels)), now);
  }
  return passed / 10;
}

describe('quotas of workers', () => {
  it('hold for all together', () => {
    const rate = run([100, 100, 100]);
    expect(rate).toBeGreaterThan(90);
    expect(rate).toBeLessThan(110);
  });
  it('are all there for a customer whose connections are at one worker', () => {
    expect(run([95, 0, 0])).toBeGreaterThan(93);
  });
});
