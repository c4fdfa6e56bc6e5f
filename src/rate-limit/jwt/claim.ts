import { shortened } from '../rules/key-text.js';

/** A claim by its name, or by a path: of `{ org: { id: 5 } }`, `org.id` is `5`. Names may have dots themselves. */
export function claimIn(claims: unknown, path: string): string | undefined {
  if (typeof claims !== 'object' || claims === null) return undefined;
  const known = claims as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(known, path)) return textOf(known[path]);
  const dot = path.indexOf('.');
  const head = path.slice(0, dot);
  return dot > 0 && Object.hasOwn(known, head) ? claimIn(known[head], path.slice(dot + 1)) : undefined;
}

/** Lists and objects name nobody. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return shortened(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
