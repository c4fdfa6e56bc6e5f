/** A host as it is compared: lower case, without port and last dot. */
export function plainHost(host: string): string {
  const lower = host.toLowerCase();
  const end = lower.startsWith('[') ? lower.indexOf(']') + 1 : lower.indexOf(':');
  const name = end > 0 ? lower.slice(0, end) : lower;
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** Hosts that a name fits, the most exact first: `a.b.c`, then `*.b.c`, `*.c`. A star is one label or several. */
export function* patternsFor(host: string): Generator<string> {
  yield host;
  if (host.startsWith('[')) return;
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) yield `*${host.slice(dot)}`;
}

/** Whether each host that fits the second one fits the first. Undefined is any host. */
export function coversHost(wide: string | undefined, narrow: string | undefined): boolean {
  if (wide === undefined || wide === narrow) return true;
  if (narrow === undefined || !wide.startsWith('*.')) return false;
  return narrow.length > wide.length - 1 && narrow.endsWith(wide.slice(1));
}
