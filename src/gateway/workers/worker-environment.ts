import { clientIdOf } from '../../client/client-id.js';
import { clientIdAt, type WorkerPlace } from './worker-settings.js';

/** What a worker finds in its environment besides what the primary does: which client it is, if the primary is any. */
export function workerEnvironment(
  place: WorkerPlace,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string>> {
  const gateway = clientIdOf(environment);
  return gateway === undefined ? {} : { PLIMSOLL_CLIENT_ID: String(clientIdAt(gateway, place)) };
}
