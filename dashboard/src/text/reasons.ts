/** What a reason for a refusal is called on the page. */
const NAMES: Readonly<Record<string, string>> = {
  'not-ready': 'not ready',
  deadline: 'deadline passed',
  quota: 'over quota',
  utilization: 'overload',
  queue: 'queue too long',
  evicted: 'evicted',
  limited: 'rate limit',
  unknown: 'unknown caller',
  unverified: 'unverified token',
  'no-route': 'no route',
  backend: 'refused by backends',
  'backend-limited': 'limited by backends',
  PLIMSOLL_THROTTLED: 'throttled',
  PLIMSOLL_NO_BACKEND: 'no backend',
  PLIMSOLL_ALL_BUSY: 'all backends busy',
  PLIMSOLL_NO_CAPACITY: 'no capacity',
  PLIMSOLL_DEADLINE: 'deadline passed',
  PLIMSOLL_OVERLOADED: 'refused by backends',
  PLIMSOLL_DONT_RETRY: 'refused by backends',
  PLIMSOLL_LIMITED: 'limited by backends',
  PLIMSOLL_STORE_UNAVAILABLE: 'no store for limits',
};

export function reasonName(reason: string): string {
  return (
    NAMES[reason] ??
    reason
      .replace(/^PLIMSOLL_/, '')
      .toLowerCase()
      .replaceAll(/[_-]/g, ' ')
  );
}

/** Several reasons have one name on the page: they are added. */
export function byName(reasons: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const named: Record<string, number> = {};
  for (const [reason, value] of Object.entries(reasons)) {
    const name = reasonName(reason);
    named[name] = (named[name] ?? 0) + value;
  }
  return named;
}
