/** What of jose is needed; described here so that the package's types do not need jose's. */
export interface Jose {
  readonly customFetch: symbol;
  createRemoteJWKSet(url: URL, options: object): object;
  jwtVerify(
    token: string,
    key: object,
    options: object,
  ): Promise<{ readonly payload: Readonly<Record<string, unknown>> }>;
}

export type LoadJose = (part: string) => Promise<Jose>;

/** Only who counts by claims needs the package. `load` is for tests. */
export async function loadJose(
  part: string,
  load: () => Promise<unknown> = () => import('jose'),
): Promise<Jose> {
  try {
    return (await load()) as Jose;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`${part} needs the package jose: npm install jose`, { cause: error });
  }
}
