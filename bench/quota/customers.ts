import type { QuotaLimits } from 'plimsoll/core';

/** What each customer may use on all backends together, in requests a second: each costs one. */
export const PER_SECOND = 1_000;

export const LIMITS: QuotaLimits = { everyoneElse: { perSecond: PER_SECOND } };

/** One customer in ten wants ten times its quota. */
export function isGreedy(customer: number): boolean {
  return customer % 10 === 0;
}

/** As long as real ones are. */
export function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, customer) => `customer-${100_000 + customer}`);
}

/** CPU time of this process, in milliseconds: what others do on the machine is not in it. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
