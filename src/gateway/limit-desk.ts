import type { RateDecision } from '../core/index.js';
import type { RateRule, Verdict } from '../rate-limit/index.js';
import { ruleOf } from '../rate-limit/limiter-options.js';
import { digestOf } from '../rate-limit/rules/key-text.js';
import { isSecretHeader } from '../rate-limit/rules/secret-header.js';
import type { Generation } from './generation.js';
import type { GatewaySettings, LimitSettings } from './settings/index.js';
import type { SharedState } from './shared-state.js';

/** One limit and one key, as it is counted. */
export interface LimitReading {
  readonly rule: string;
  readonly key: string;
  readonly decision: RateDecision | undefined;
}

/** Whether the next request passes, and what is left as long as it has not come: that is what people ask for. */
export function standing(next: RateDecision, now: RateDecision): RateDecision {
  return { ...next, remaining: now.remaining, resetMs: now.resetMs };
}

/** How a key stands, by a limit as it is now. Undefined: there is no such limit. */
export async function peekLimit(
  { settings }: Generation,
  { store }: SharedState,
  name: string,
  key: string,
): Promise<LimitReading | undefined> {
  const limit = limitNamed(settings, name);
  if (limit === undefined) return undefined;
  // Turns are counted apart from what is let through at once.
  if (limit.onLimit === 'queue') return { rule: name, key, decision: undefined };
  const rule: RateRule = ruleOf(name, limit);
  const [next, now] = await store.peek([
    { rule, key, cost: limit.cost },
    { rule, key, cost: 0 },
  ]);
  return { rule: name, key, decision: standing(next!, now!) };
}

/** As if this key had never come, also for those who count by themselves while the store is gone. False: no such limit. */
export async function resetLimit(
  { settings, routes }: Generation,
  name: string,
  key: string,
): Promise<boolean> {
  if (limitNamed(settings, name) === undefined) return false;
  const having = routes.filter(
    ({ limits }) => limits !== undefined && Object.hasOwn(limits.snapshot(), name),
  );
  await Promise.all(having.map(({ limits }) => limits!.reset(name, key)));
  return true;
}

/** What waits for its turn, without what may be a secret: queries, and keys that are made of secrets. */
export async function readQueue(
  { settings, routes }: Generation,
  { queue }: SharedState,
): Promise<{ readonly overLimit: object | undefined; readonly batches: object }> {
  const batches = Object.fromEntries(
    routes.flatMap(({ name, batch }) => (batch === undefined ? [] : [[name, batch.snapshot()]])),
  );
  if (queue === undefined) return { overLimit: undefined, batches };
  // When Redis does not answer, what is known here is still of use.
  const [letters] = await Promise.all([
    queue.deadLetters().then(
      (all) => all.map((letter) => ({ ...letter, ...shown(settings, letter) })),
      () => undefined,
    ),
    queue.recount().catch(() => {}),
  ]);
  return { overLimit: { ...queue.snapshot(), letters }, batches };
}

function shown(settings: GatewaySettings, { url, rule, key }: { url: string; rule: string; key: string }) {
  return { url: url.split('?', 1)[0], key: isSecretKey(settings, rule) ? '***' : key };
}

/** A key as anybody may see it. What stands for a secret one is the same each time, so that one can be told from another. */
export function shownKey(settings: GatewaySettings, rule: string, key: string): string {
  return isSecretKey(settings, rule) ? `#${digestOf(key)}` : key;
}

/** Which limit it was over, of those that were asked. Undefined for what is queued: that is answered, but not refused. */
export function refusalBy({ rulings }: Verdict, settings: GatewaySettings) {
  const over = rulings.find(({ decision }) => !decision.allowed);
  if (over === undefined) return undefined;
  const { rule, key, decision } = over;
  return {
    limit: rule.name,
    key: shownKey(settings, rule.name, key),
    retryAfterMs: decision.retryAfterMs,
  };
}

function isSecretKey(settings: GatewaySettings, rule: string): boolean {
  const parts = [limitNamed(settings, rule)?.key ?? 'header:secret'].flat();
  return parts.some((part) => part.startsWith('header:') && isSecretHeader(part.slice(7)));
}

function limitNamed({ limits, routes }: GatewaySettings, name: string): LimitSettings | undefined {
  if (Object.hasOwn(limits, name)) return limits[name];
  for (const route of routes)
    for (const limit of route.limits) if (typeof limit === 'object' && limit.name === name) return limit;
  return undefined;
}
