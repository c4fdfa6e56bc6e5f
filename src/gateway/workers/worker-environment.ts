import { clientIdOf } from '../../client/client-id.js';
import { semiSpaceFlag } from '../young-generation.js';
import { clientIdAt, type WorkerPlace } from './worker-settings.js';

/** What the primary has, of which its workers have a part. */
export interface PrimaryProcess {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly execArgv: readonly string[];
  readonly memoryBytes: number;
}

/**
 * What a worker finds in its environment besides what the primary does: which client it is, if the primary is any, and how much
 * room there is for what is thrown away.
 */
export function workerEnvironment(
  place: WorkerPlace,
  { environment, execArgv, memoryBytes }: PrimaryProcess,
): Readonly<Record<string, string>> {
  const { NODE_OPTIONS: nodeOptions } = environment;
  const gateway = clientIdOf(environment);
  const flag = semiSpaceFlag(memoryBytes / place.workers, { execArgv, nodeOptions });
  return {
    ...(gateway === undefined ? {} : { PLIMSOLL_CLIENT_ID: String(clientIdAt(gateway, place)) }),
    ...(flag === undefined ? {} : { NODE_OPTIONS: [nodeOptions, flag].filter(Boolean).join(' ') }),
  };
}
