import type { Cores } from '../overload/cores.js';
import { forkOn } from '../overload/cores.js';
import { Asked } from '../overload/questions.js';
import { startProxyPass } from './nginx.js';
import type { NodeProxyName } from './servers/main.js';

/** A process between load and backend. */
export interface RunningProxy {
  readonly port: number;
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

export const OURS = 'plimsoll';
export const NGINX = 'nginx';

/** Other proxies on Node, as their own documentation has them, with connections kept. */
export const PEERS = [
  'fast-proxy',
  'fast-proxy, undici',
  'http-proxy-3',
  '@fastify/http-proxy',
  'http-proxy',
] as const;

export type ProxyName = typeof NGINX | NodeProxyName;

/** A proxy on Node, in a process of its own. */
export class NodeProxy implements RunningProxy {
  private constructor(
    readonly port: number,
    readonly asked: Asked,
  ) {}

  static async start(core: number | undefined, name: NodeProxyName, backendPort: number): Promise<NodeProxy> {
    const script = new URL('./servers/main.js', import.meta.url);
    const asked = new Asked(forkOn(core, script, ['--expose-gc']), name);
    try {
      return new NodeProxy(await asked.ask<number>('listen', { name, backendPort }), asked);
    } catch (error) {
      await asked.stop();
      throw error;
    }
  }

  cpuMs(): Promise<number> {
    return this.asked.ask('cpuMs');
  }

  rssBytes(): Promise<number> {
    return this.asked.ask('rssBytes');
  }

  stop(): Promise<void> {
    return this.asked.stop();
  }
}

export function startProxy({ server }: Cores, name: ProxyName, backendPort: number): Promise<RunningProxy> {
  return name === NGINX ? startProxyPass(server, backendPort) : NodeProxy.start(server, name, backendPort);
}
