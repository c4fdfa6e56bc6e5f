import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { SettingsError } from '../../../src/config/index.js';
import { SeededRandom } from '../../../src/core/index.js';
import { createGateway, type GatewaySettings, parseGatewaySettings } from '../../../src/gateway/index.js';
import { root } from '../../tidy/sources.js';
import { CERTIFICATE, KEY } from '../client/certificate.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { mutateSettings } from './mutate-settings.js';

expectNoMishaps();

/** `npm run fuzz:settings` is the long form. */
const RUNS = Number(process.env['PLIMSOLL_FUZZ'] ?? 300);
const FROM = Number(process.env['PLIMSOLL_FUZZ_FROM'] ?? 0);

// As within a cluster: where it is checked and where it runs are two places.
process.env['KUBERNETES_SERVICE_HOST'] ??= '127.0.0.1';

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The example, with files that are there and a Redis that is not. */
function example(): string {
  const files = {
    'fullchain.pem': CERTIFICATE,
    'key.pem': KEY,
    'clients.pem': CERTIFICATE,
    'internal.pem': CERTIFICATE,
    'us.pem': CERTIFICATE,
    'us-key.pem': KEY,
    'keys.yaml': '{}',
    'quotas.yaml': 'everyoneElse: { cpu: 1 }',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const text = readFileSync(join(root, 'examples/gateway/plimsoll.yaml'), 'utf8');
  return text
    .replaceAll(/\/etc\/plimsoll\/(?:tls\/)?/g, '')
    .replaceAll(/\$\{REDIS_URL:-[^}]*\}/g, 'redis://127.0.0.1:1');
}

function parsed(text: string): GatewaySettings | undefined {
  try {
    return parseGatewaySettings(text, 'fuzzed.yaml', { HOME: '/x' });
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

/** Without Redis, for which a gateway that ends waits a second: one in ten has it. */
function withoutRedis({ redis: _, ...settings }: GatewaySettings): GatewaySettings {
  const refusing = <T extends { onLimit: string }>(limit: T) => ({ ...limit, onLimit: 'refuse' as const });
  return {
    ...settings,
    limits: Object.fromEntries(
      Object.entries(settings.limits).map(([name, limit]) => [name, refusing(limit)]),
    ),
    routes: settings.routes.map((route) => ({
      ...route,
      limits: route.limits.map((limit) => (typeof limit === 'string' ? limit : refusing(limit))),
    })),
  };
}

/** What is accepted can be run: what else may be wrong are files that are not there, or are no files of that kind. */
async function build(settings: GatewaySettings): Promise<boolean> {
  try {
    const gateway = await createGateway(settings, { directory: folder, connectMs: 1, onError: () => {} });
    gateway.snapshot();
    await gateway.close({ timeoutMs: 0, spreadMs: 0 });
    return true;
  } catch (error) {
    if (error instanceof SettingsError || /PEM|no start line/.test(String(error))) return false;
    throw error;
  }
}

it('takes no nonsense, and no file ends it', async () => {
  const text = example();
  expect(await build(parsed(text)!)).toBe(true);
  const counts = { refused: 0, accepted: 0, built: 0 };
  for (let seed = FROM; seed < FROM + RUNS; seed++) {
    const mutated = mutateSettings(text, new SeededRandom(seed));
    try {
      const settings = parsed(mutated);
      if (settings === undefined) counts.refused++;
      else {
        counts.accepted++;
        if (await build(seed % 10 === 0 ? settings : withoutRedis(settings))) counts.built++;
      }
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
  }
  // biome-ignore lint/suspicious/noConsole: who runs the long form wants to know
  if (RUNS > 300) console.info(counts);
  // Neither are all refused, so that nothing would be seen, nor all taken.
  expect(counts.refused).toBeGreaterThan(RUNS / 10);
  expect(counts.built).toBeGreaterThan(RUNS / 20);
}, 1_800_000);
