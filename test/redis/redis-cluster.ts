import { Redis } from 'ioredis';
import { freePort, RedisServer } from './redis-server.js';

const SLOTS = 16_384;

/** Masters that share the slots evenly, as a Cluster that is no more than that. */
export class RedisCluster {
  readonly urls: readonly string[];
  readonly servers: readonly RedisServer[];
  readonly #admins: readonly Redis[];

  private constructor(servers: readonly RedisServer[], password: string | undefined) {
    this.servers = servers;
    this.urls = servers.map(
      ({ port }) => `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
    );
    this.#admins = this.urls.map((url) => new Redis(url));
  }

  static async start(nodes = 3, password?: string): Promise<RedisCluster> {
    const servers: RedisServer[] = [];
    for (let i = 0; i < nodes; i++) {
      // The port on which nodes speak to each other is 10,000 above by default, which may not be free.
      const busPort = await freePort();
      const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'];
      const secret = password === undefined ? [] : ['--requirepass', password, '--masterauth', password];
      servers.push(await RedisServer.start([...settings, '--cluster-port', `${busPort}`, ...secret]));
    }
    const cluster = new RedisCluster(servers, password);
    await cluster.#join();
    return cluster;
  }

  /** With the keys that are in them, while others use them. */
  async moveSlots(from: number, to: number, slots: readonly number[]): Promise<void> {
    const [source, target] = [this.#admins[from]!, this.#admins[to]!];
    const sourceId = String(await source.cluster('MYID'));
    const targetId = String(await target.cluster('MYID'));
    for (const slot of slots) {
      await target.cluster('SETSLOT', slot, 'IMPORTING', sourceId);
      await source.cluster('SETSLOT', slot, 'MIGRATING', targetId);
      for (;;) {
        const keys = (await source.cluster('GETKEYSINSLOT', slot, 100)) as string[];
        if (keys.length === 0) break;
        const { port } = this.servers[to]!;
        await source.call('MIGRATE', '127.0.0.1', port, '', 0, 5_000, 'KEYS', ...keys);
      }
      // The one that gets it first: between the two answers somebody must own it.
      await target.cluster('SETSLOT', slot, 'NODE', targetId);
      await source.cluster('SETSLOT', slot, 'NODE', targetId);
    }
  }

  async stop(): Promise<void> {
    for (const admin of this.#admins) admin.disconnect();
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  async #join(): Promise<void> {
    const share = Math.ceil(SLOTS / this.servers.length);
    for (const [i, admin] of this.#admins.entries()) {
      await admin.cluster('ADDSLOTSRANGE', i * share, Math.min(SLOTS, (i + 1) * share) - 1);
      await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
    }
    for (const { port } of this.servers.slice(1)) {
      const busPort = await this.#busPort(port);
      await this.#admins[0]!.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
    }
    const deadline = Date.now() + 30_000;
    while (!(await this.#isComplete())) {
      if (Date.now() > deadline) throw new Error('the nodes did not become a cluster within 30 s');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #busPort(port: number): Promise<number> {
    const admin = this.#admins[this.servers.findIndex((server) => server.port === port)]!;
    const [, setting] = (await admin.config('GET', 'cluster-port')) as [string, string];
    return Number(setting);
  }

  /** All know all, and that every slot has somebody. */
  async #isComplete(): Promise<boolean> {
    const infos = await Promise.all(this.#admins.map((admin) => admin.cluster('INFO')));
    return infos.every((info) => {
      const text = String(info);
      return text.includes('cluster_state:ok') && text.includes(`cluster_known_nodes:${this.servers.length}`);
    });
  }
}
