import { UsageError } from '../usage-error.js';

/** An address with a password belongs here: arguments of a program are seen by everybody on its machine. */
export const REDIS_VARIABLE = 'PLIMSOLL_REDIS_URL';

/** As given on the command line, or else in the environment. It may have a password: what is wrong with it is not shown. */
export function redisUrlOf(
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const [url, name] =
    given === undefined ? [environment[REDIS_VARIABLE], REDIS_VARIABLE] : [given, '--redis'];
  if (url === undefined || (given === undefined && url === '')) return undefined;
  if (URL.canParse(url) && ['redis:', 'rediss:'].includes(new URL(url).protocol)) return url;
  throw new UsageError(`${name} must be a URL like redis://127.0.0.1:6379`);
}
