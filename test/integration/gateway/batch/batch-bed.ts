import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Client, createClient } from '../../../../src/client/index.js';
import { BatchProxy, type BatchProxyOptions, utilizationOf } from '../../../../src/gateway/batch/index.js';
import { forward } from '../../../../src/gateway/forwarding/index.js';
import { root } from '../../../tidy/sources.js';

const PROCESSES = join(root, 'test/integration/gateway/batch/processes');

export interface LoadCounts {
  readonly connected: number;
  readonly done: number;
  readonly failed: number;
  readonly latencies: number[];
}

export interface Load {
  /** So far; latencies since they were last asked for. */
  counts(): Promise<LoadCounts>;
}

export interface LoadOptions {
  readonly port: number;
  readonly connections?: number;
  readonly perSecond?: number;
  readonly meanMs: number;
  readonly headers?: string;
  readonly seed?: number;
}

/** A service, clients and a batch proxy between them: all but the proxy in processes of their own. */
export class BatchBed {
  readonly #children: ChildProcess[] = [];
  readonly #servers: Server[] = [];
  readonly #clients: Client[] = [];

  async service(places: number): Promise<number> {
    const child = this.#fork('service.mjs', { places });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return port;
  }

  async proxy(servicePort: number, options: Partial<BatchProxyOptions>) {
    const client = createClient({ backends: [`http://127.0.0.1:${servicePort}`], health: false });
    this.#clients.push(client);
    const target = { client, host: 'request', protocol: 'http' } as const;
    const proxy = new BatchProxy((req, res) => forward(req, res, target), {
      utilization: [() => utilizationOf(client.snapshot())],
      ...options,
    });
    return { proxy, client, port: await this.listen(createServer(proxy.handle)) };
  }

  async listen(server: Server): Promise<number> {
    this.#servers.push(server);
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  load(options: LoadOptions): Load & { stop(): void } {
    const child = this.#fork('load.mjs', options);
    return {
      counts: async () => {
        child.send('counts');
        const [counts] = (await once(child, 'message')) as [LoadCounts];
        return counts;
      },
      stop: () => child.kill('SIGKILL'),
    };
  }

  #fork(program: string, options: object): ChildProcess {
    const child = fork(join(PROCESSES, program), [JSON.stringify(options)], { stdio: 'inherit' });
    this.#children.push(child);
    return child;
  }

  async close(): Promise<void> {
    for (const child of this.#children.splice(0)) child.kill('SIGKILL');
    for (const server of this.#servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
    for (const client of this.#clients.splice(0)) await client.destroy();
  }
}
