import { parseBackendFile } from '../client/resolving/backend-file.js';
import { normaliseBackends } from '../client/resolving/backends.js';
import { parseSettings, readText } from '../config/index.js';
import { parseQuotaFile } from '../quota/index.js';
import { inDirectory } from './in-directory.js';
import { readCertificates } from './listeners.js';
import { planServices } from './services/index.js';
import { apiKeyTable, type GatewaySettings } from './settings/index.js';
import { readTokenKey } from './token-key.js';

/** Looks at all files that settings name, without making anything of them. Rejects with what is wrong with the first. */
export async function checkFiles(settings: GatewaySettings, directory: string): Promise<void> {
  const readFile = (file: string) => readText(inDirectory(directory, file));
  await readCertificates(settings, readFile);
  await planServices(settings, readFile);
  const { file: keys } = settings.identity.apiKeys ?? {};
  for (const { backends } of Object.values(settings.services)) {
    if ('file' in backends) checkBackends(backends.file, await readFile(backends.file));
  }
  if (keys !== undefined) parseSettings(await readFile(keys), apiKeyTable, keys);
  await readTokenKey(settings.identity, readFile);
  const { file: quotas } = settings.quota ?? {};
  if (quotas !== undefined) checkQuotaUnit(quotas, parseQuotaFile(await readFile(quotas), quotas).unit);
}

/** A running gateway leaves out what is wrong and goes on with the rest; who checks wants to know of each. */
function checkBackends(file: string, text: string): void {
  const problem = problemOf(text);
  if (problem !== undefined) throw new RangeError(`${file}: ${problem}`);
}

function problemOf(text: string): string | undefined {
  try {
    return normaliseBackends(parseBackendFile(text)).problem;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A gateway knows what requests cost it, and how many there are; nothing else. */
export function checkQuotaUnit(file: string, unit: string): void {
  if (unit === 'cpu' || unit === 'requests') return;
  throw new RangeError(`${file}: unit must be cpu or requests, which a gateway counts, got ${unit}`);
}
