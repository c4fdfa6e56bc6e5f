import { parseSettings } from '../config/index.js';
import type { ReadFile } from './named-files.js';
import { apiKeyTable, type KeyOwner } from './settings/index.js';

/** Keys of customers from a file of their own. */
export async function readKeyFile(
  file: string,
  readFile: ReadFile,
): Promise<Readonly<Record<string, KeyOwner>>> {
  return parseSettings(await readFile(file, ['identity', 'apiKeys', 'file']), apiKeyTable, file);
}
