import type { SrvRecord } from 'node:dns';

/** Where a service runs, by name. */
export interface SrvTarget {
  readonly name: string;
  readonly port: number;
}

/** A message of 64 KB holds about as many. */
export const MOST_TARGETS = 1_000;

/**
 * Targets by priority, the most preferred (lowest number) first, each once. Weights are not looked at: how much a
 * backend gets is decided by its load, which says more than a record does.
 */
export function groupTargets(records: readonly SrvRecord[]): readonly (readonly SrvTarget[])[] {
  const groups = new Map<number, Map<string, SrvTarget>>();
  // RFC 2782: a single "." says that there decidedly is no such service here. Port 0 leads nowhere either.
  const usable = records.filter(({ name, port }) => name !== '' && name !== '.' && port > 0);
  const preferred = usable.toSorted((a, b) => a.priority - b.priority).slice(0, MOST_TARGETS);
  for (const { priority, name, port } of preferred) {
    const group = groups.get(priority) ?? new Map<string, SrvTarget>();
    const lower = name.toLowerCase();
    group.set(`${lower}:${port}`, { name: lower, port });
    groups.set(priority, group);
  }
  return [...groups.values()].map((group) => [...group.values()]);
}

/** The distinct names of some targets. */
export function namesOf(targets: readonly SrvTarget[]): readonly string[] {
  return [...new Set(targets.map(({ name }) => name))];
}
