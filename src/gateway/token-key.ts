import { lateError } from '../config/index.js';
import { checkJwtOptions, type JwtOptions } from '../rate-limit/jwt/jwt-options.js';
import type { ReadFile } from './named-files.js';
import { type GatewaySettings, isPem } from './settings/index.js';

const KEY = ['identity', 'jwt', 'publicKey'];

/** How tokens are verified, with the key itself where settings name its file. Rejects when that has none. */
export async function readTokenKey(
  settings: GatewaySettings,
  readFile: ReadFile,
): Promise<JwtOptions | undefined> {
  const { jwt } = settings.identity;
  if (jwt === undefined) return undefined;
  const { claim: _, ...options } = jwt;
  const { publicKey } = options;
  if (publicKey === undefined || isPem(publicKey)) return options;
  const read = { ...options, publicKey: await readFile(publicKey, KEY) };
  try {
    checkJwtOptions(read);
  } catch (error) {
    const text = `${publicKey}: ${(error as Error).message}: write a file with a public key in PEM`;
    throw lateError(settings, [{ path: KEY, text }], { cause: error });
  }
  return read;
}
