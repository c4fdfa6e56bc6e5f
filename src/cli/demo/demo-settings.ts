import { createHash } from 'node:crypto';
import type { PolicyName } from '../../core/picking/index.js';
import { type GatewaySettings, gatewaySchema } from '../../gateway/index.js';
import { CUSTOMERS } from './customers.js';
import { DEADLINE_MS } from './deadline.js';

/** What the gateway of the demo goes by. */
export interface DemoSettings {
  readonly backends: readonly string[];
  readonly policy: PolicyName;
  /** How many of the backends are used. */
  readonly subset: number;
  readonly isGuarded: boolean;
  /** What the fleet serves a second; undefined before that is known. */
  readonly capacityPerSecond: number | undefined;
  readonly adminPort: number;
  readonly token: string;
  readonly quotaFile: string;
  readonly redis: string | undefined;
}

/** Of what the fleet can serve, for each customer: an honest one reaches it at two to three times the usual load. */
const EXPORTS_SHARE = 0.08;
const LEAST_EXPORTS = 2;

/** As if in a file: `plimsoll gateway` would take the same. */
export function gatewaySettingsOf(given: DemoSettings): GatewaySettings {
  const { backends, isGuarded, adminPort, token, quotaFile, redis } = given;
  // Without a guard nobody keeps deadlines either: work goes on that nobody waits for.
  const timeout = `${isGuarded ? DEADLINE_MS : 10 * DEADLINE_MS}ms`;
  return gatewaySchema.parse({
    listen: '127.0.0.1:0',
    admin: { address: `127.0.0.1:${adminPort}`, token },
    // The clients are ours: what they say of criticality is believed.
    trustedCallers: ['127.0.0.0/8'],
    identity: {
      apiKeys: { keys: Object.fromEntries(CUSTOMERS.map(({ name, apiKey }) => [hashOf(apiKey), name])) },
    },
    services: {
      fleet: {
        backends: [...backends],
        policy: given.policy,
        subset: given.subset >= backends.length ? 'all' : { size: given.subset, clientId: 0 },
        // A tenth of the usual window: who turns the load up and down wants to see it follow.
        throttle: isGuarded ? { window: '12s', recovery: 'streak' } : false,
        // Without a guard there is nothing that bounds a queue.
        activeLimit: isGuarded ? 100 : 10_000,
      },
    },
    limits: { exports: { rate: `${exportsPerSecond(given)}/s`, key: 'customer' } },
    routes: [
      { name: 'exports', path: '/export', to: 'fleet', timeout, limits: ['exports'] },
      { name: 'pages', to: 'fleet', timeout },
    ],
    quota: { file: quotaFile },
    ...(redis === undefined ? {} : { redis }),
    log: { level: 'off' },
    drain: { timeout: '1s', spread: '1ms' },
  });
}

/** A rate that nobody reaches, as long as it is not known what the fleet can serve. */
function exportsPerSecond({ capacityPerSecond = 10_000 }: DemoSettings): number {
  return Math.max(LEAST_EXPORTS, Math.round(capacityPerSecond * EXPORTS_SHARE));
}

/** A file of quotas: requests a second, by customer. */
export function quotaFileText(capacityPerSecond: number | undefined): string {
  const customers = CUSTOMERS.map(({ name, quotaShare }) => {
    const quota = capacityPerSecond === undefined ? 'unlimited' : Math.round(capacityPerSecond * quotaShare);
    return `  ${name}: { requests: ${quota} }`;
  });
  return `service: demo
unit: requests
customers:
${customers.join('\n')}
everyoneElse: { requests: unlimited }
`;
}

/** Who may use how much, in a sentence. */
export function quotaNote(capacityPerSecond: number): string {
  const quotas = CUSTOMERS.map(
    ({ name, quotaShare }) => `${name} ${Math.round(capacityPerSecond * quotaShare)}`,
  );
  return `Quotas in requests a second: ${quotas.join(', ')}. They add up to more than the fleet can serve, as quotas usually do.`;
}

function hashOf(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}
