// A proxy under test, alone in its process: `listen` starts it, the others say what it has used.
import { answerQuestions } from '../../overload/questions.js';
import { connections } from './listen.js';
import { listenFastify, listenFastProxy, listenHttpProxy } from './peers.js';
import { listenPlimsoll } from './plimsoll.js';
import { listenRelay } from './relay.js';

const PROXIES = {
  plimsoll: listenPlimsoll,
  'fast-proxy': (backend) => listenFastProxy(backend, false),
  'fast-proxy, undici': (backend) => listenFastProxy(backend, true),
  'http-proxy-3': (backend) => listenHttpProxy('http-proxy-3', backend),
  '@fastify/http-proxy': listenFastify,
  'http-proxy': (backend) => listenHttpProxy('http-proxy', backend),
  relay: listenRelay,
} satisfies Record<string, (backend: string) => Promise<number>>;

export type NodeProxyName = keyof typeof PROXIES;

answerQuestions({
  listen: ({ name, backendPort }: { name: NodeProxyName; backendPort: number }) =>
    PROXIES[name](`http://127.0.0.1:${backendPort}`),
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  connections,
  rssBytes: () => {
    for (let i = 0; i < 3; i++) globalThis.gc?.();
    return process.memoryUsage.rss();
  },
});
