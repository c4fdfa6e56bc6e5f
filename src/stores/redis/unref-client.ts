/** What is needed of an ioredis client; of its own it has no way to say this. */
interface Connection {
  /** The socket. */
  readonly stream?: Stoppable | null;
  /** Until the next attempt. */
  readonly reconnectTimeout?: Stoppable | null;
  on(event: 'connect' | 'reconnecting', listener: () => void): unknown;
}

interface Stoppable {
  unref?(): unknown;
}

/**
 * From now on its connection, and those to come, do not keep the process alive: for what nobody waits for. While it
 * connects it does, for a second at the most. A Cluster has many connections and timers, and keeps its process alive.
 */
export function unrefClient(client: unknown): void {
  const connection = client as Connection;
  const letGo = () => {
    connection.stream?.unref?.();
    connection.reconnectTimeout?.unref?.();
  };
  letGo();
  connection.on('connect', letGo);
  connection.on('reconnecting', letGo);
}
