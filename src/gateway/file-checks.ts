import { parseBackendFile } from '../client/resolving/backend-file.js';
import { normaliseBackends } from '../client/resolving/backends.js';
import { lateError } from '../config/index.js';
import { parseQuotaFile } from '../quota/index.js';
import { readCertificates } from './certificates.js';
import { readKeyFile } from './key-file.js';
import { namedFiles } from './named-files.js';
import { planServices } from './services/index.js';
import type { GatewaySettings } from './settings/index.js';
import { readTokenKey } from './token-key.js';

/** Looks at all files that settings name, without making anything of them. Rejects with what is wrong with the first. */
export async function checkFiles(settings: GatewaySettings, directory: string): Promise<void> {
  await checkNeededFiles(settings, directory);
  const readFile = namedFiles(settings, directory);
  for (const [name, { backends }] of Object.entries(settings.services)) {
    if (!('file' in backends)) continue;
    const path = ['services', name, 'backends', 'file'];
    // A running gateway leaves out what is wrong and goes on with the rest; who checks wants to know of each.
    const problem = problemOf(await readFile(backends.file, path));
    if (problem !== undefined) throw lateError(settings, [{ path, text: `${backends.file}: ${problem}` }]);
  }
  await checkQuotaFile(settings, directory);
}

/** Looks at that of quotas, which is followed by itself once a gateway runs. */
export async function checkQuotaFile(settings: GatewaySettings, directory: string): Promise<void> {
  const { file } = settings.quota ?? {};
  if (file === undefined) return;
  const text = await namedFiles(settings, directory)(file, ['quota', 'file']);
  checkQuotaUnit(settings, parseQuotaFile(text, file).unit);
}

/** Looks at those without which a gateway neither starts nor takes other settings. */
export async function checkNeededFiles(settings: GatewaySettings, directory: string): Promise<void> {
  const readFile = namedFiles(settings, directory);
  await readCertificates(settings, readFile);
  await planServices(settings, readFile);
  const { file } = settings.identity.apiKeys ?? {};
  if (file !== undefined) await readKeyFile(file, readFile);
  await readTokenKey(settings, readFile);
}

function problemOf(text: string): string | undefined {
  try {
    return normaliseBackends(parseBackendFile(text)).problem;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A gateway knows what requests cost it, and how many there are; nothing else. */
export function checkQuotaUnit(settings: GatewaySettings, unit: string): void {
  if (unit === 'cpu' || unit === 'requests') return;
  const text = `${settings.quota?.file}: unit must be cpu or requests, which a gateway counts, got ${unit}`;
  throw lateError(settings, [{ path: ['quota', 'file'], text }]);
}
