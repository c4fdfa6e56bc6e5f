import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { unrefClient } from './unref-client.js';

/** Counts how often it was let go. */
class Held {
  times = 0;
  unref(): void {
    this.times++;
  }
}

class FakeClient extends EventEmitter {
  stream: Held | null = null;
  reconnectTimeout: Held | null = null;
}

describe('a client that nobody waits for', () => {
  it('lets go of the connection that it has', () => {
    const client = new FakeClient();
    client.stream = new Held();
    unrefClient(client);
    expect(client.stream.times).toBe(1);
  });

  it('lets go of those to come, and of the time until then', () => {
    const client = new FakeClient();
    unrefClient(client);
    client.reconnectTimeout = new Held();
    client.emit('reconnecting');
    expect(client.reconnectTimeout.times).toBe(1);
    client.reconnectTimeout = null;
    client.stream = new Held();
    client.emit('connect');
    expect(client.stream.times).toBe(1);
  });

  it('may be one that has nothing of the kind, as a Cluster', () => {
    const cluster = new EventEmitter();
    unrefClient(cluster);
    expect(() => cluster.emit('connect')).not.toThrow();
  });
});
