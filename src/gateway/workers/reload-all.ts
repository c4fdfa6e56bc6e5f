import type { GatewaySettings } from '../settings/index.js';
import type { WorkerProcess } from './worker-process.js';

/** Clients of all services are made, files are read: seconds at the most. */
const PREPARE_MS = 30_000;
/** Only to be used: a millisecond. */
const APPLY_MS = 5_000;

/** Settings on their way to a worker, with the number that they have among all there have been. */
export interface SentSettings {
  readonly settings: GatewaySettings;
  readonly version: number;
}

/** What is needed of a worker. */
export type Reloadable = Pick<WorkerProcess, 'name' | 'channel' | 'state' | 'kill'> & {
  version: number | undefined;
};

/**
 * Has all workers hold other settings, or none. First each makes all that it takes and says whether it could, while what
 * held before goes on; only when all could are they told to use it. Rejects with why not.
 */
export async function prepareAll(
  workers: readonly Reloadable[],
  sent: (worker: Reloadable) => SentSettings,
): Promise<void> {
  const prepared = await Promise.allSettled(
    workers.map((worker) => worker.channel.ask('prepare', sent(worker), PREPARE_MS)),
  );
  const refusals = prepared.flatMap((result, at) => {
    const worker = workers[at]!;
    // Whoever takes the place of one that has died, or leaves, begins with what holds then.
    if (result.status === 'fulfilled' || isLeft(worker)) return [];
    return [{ name: worker.name, reason: (result.reason as Error).message }];
  });
  if (refusals.length === 0) return;
  for (const worker of workers) worker.channel.tell('discard');
  throw new RangeError(describeRefusals(refusals, workers.length));
}

/** From now on. Who does not follow would be of another mind than the others: it is ended, and replaced. */
export async function applyAll(workers: readonly Reloadable[], version: number): Promise<void> {
  await Promise.all(
    workers.map(async (worker) => {
      try {
        await worker.channel.ask('apply', undefined, APPLY_MS);
        worker.version = version;
      } catch {
        // One that leaves has requests to finish, and lets go of what it was to use.
        if (!isLeft(worker)) worker.kill();
      }
    }),
  );
}

function isLeft({ state }: Reloadable): boolean {
  return state === 'gone' || state === 'leaving';
}

/** The same from all is said once. */
function describeRefusals(
  refusals: readonly { readonly name: string; readonly reason: string }[],
  workers: number,
): string {
  const reasons = new Set(refusals.map(({ reason }) => reason));
  if (reasons.size === 1 && refusals.length === workers) return refusals[0]!.reason;
  return refusals.map(({ name, reason }) => `worker ${name}: ${reason}`).join('; ');
}
