import { checkJwtOptions, type JwtOptions } from '../rate-limit/jwt/jwt-options.js';
import type { ReadFile } from './services/index.js';
import { type IdentitySettings, isPem } from './settings/index.js';

/** How tokens are verified, with the key itself where settings name its file. Rejects when that has none. */
export async function readTokenKey(
  { jwt }: IdentitySettings,
  readFile: ReadFile,
): Promise<JwtOptions | undefined> {
  if (jwt === undefined) return undefined;
  const { claim: _, ...options } = jwt;
  const { publicKey } = options;
  if (publicKey === undefined || isPem(publicKey)) return options;
  const read = { ...options, publicKey: await readFile(publicKey) };
  try {
    checkJwtOptions(read);
  } catch (error) {
    throw new RangeError(`${publicKey}: ${(error as Error).message}`, { cause: error });
  }
  return read;
}
