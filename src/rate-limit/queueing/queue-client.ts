import { type ClientOptions, connectClient, type RedisClient } from '../../stores/redis/redis-client.js';

/** What of an ioredis client or Cluster the queue needs besides. */
export interface QueueClient extends RedisClient {
  duplicate(...overrides: unknown[]): QueueClient;
  pipeline(commands: readonly (readonly (string | number)[])[]): {
    exec(): Promise<readonly (readonly [error: Error | null, reply: unknown])[] | null>;
  };
  hset(key: string, field: string, value: string | number): Promise<unknown>;
  get(key: string): Promise<string | null>;
  set(key: string, value: string, unit: 'PX', ms: number): Promise<unknown>;
}

/** For accepting and asking: it never waits for a connection, and sends nothing a second time. */
export async function connectQueueClient(options: ClientOptions): Promise<QueueClient> {
  return (await connectClient(options)) as unknown as QueueClient;
}

/**
 * For performing: it waits for Redis however long it is gone, since what has been performed must be said. BullMQ wants
 * it so: what it blocks with may take as long as it takes.
 */
const PATIENT = { maxRetriesPerRequest: null, enableOfflineQueue: true, autoResendUnfulfilledCommands: true };

export function patientCopy(client: QueueClient, onError: (error: unknown) => void): QueueClient {
  const overrides = client.isCluster
    ? [undefined, { enableOfflineQueue: true, redisOptions: { ...redisOptionsOf(client), ...PATIENT } }]
    : [PATIENT];
  const copy = client.duplicate(...overrides);
  copy.on('error', onError);
  return copy;
}

function redisOptionsOf(client: QueueClient): object {
  return (client as unknown as { options: { redisOptions?: object } }).options.redisOptions ?? {};
}

/** The replies of several commands sent at once; throws what the first failed one says. */
export async function askAll(
  client: QueueClient,
  commands: readonly (readonly (string | number)[])[],
): Promise<readonly unknown[]> {
  const replies = (await client.pipeline(commands).exec()) ?? [];
  return replies.map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}
