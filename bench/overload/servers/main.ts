// A server under test, alone in its process: `listen` starts it, `usage` says what it has used.
import { createServer } from 'node:http';
import { answerQuestions } from '../questions.js';
import { stolenMs } from '../stolen-time.js';
import { type Handler, type HandlerName, handlerNamed, running } from './handlers.js';
import { listen, listenBare } from './node-http.js';
import { listenOverloadProtection, listenTooBusy, listenUnderPressure } from './peers.js';
import { guardSnapshot, listenGuarded, listenRefusing } from './plimsoll.js';

const SERVERS = {
  bare: listenBare,
  'under-pressure': (handler) => listenUnderPressure(handler),
  'under-pressure, 50 ms sampling': (handler) => listenUnderPressure(handler, 50),
  'toobusy-js': listenTooBusy,
  'overload-protection': listenOverloadProtection,
  plimsoll: listenGuarded,
  // Documented means of Node alone.
  'plimsoll, public API': (handler) => listenGuarded(handler, { earlyRefusal: 'off' }),
  'plimsoll, CPU not accounted': (handler) => listenGuarded(handler, { cpu: { mode: 'off' } }),
  'plimsoll, CPU exact': (handler) => listenGuarded(handler, { cpu: { mode: 'exact' } }),
  'refusing: writeHead + end': () => listenWriteHead(),
  'refusing: plimsoll': () => listenRefusing(),
  'refusing: plimsoll, public API': () => listenRefusing({ earlyRefusal: 'off' }),
} satisfies Record<string, (handler: Handler) => Promise<number>>;

export type ServerName = keyof typeof SERVERS;

/** The least that an honest refusal says, said by the documented means. */
function listenWriteHead(): Promise<number> {
  return listen(
    createServer((_request, response) => {
      response.writeHead(503, { 'x-envoy-overloaded': 'true', 'retry-after': '1', 'content-length': '0' });
      response.end();
    }),
  );
}

export interface Usage {
  readonly atMs: number;
  readonly cpuMs: number;
  readonly stolenMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly mostRssBytes: number;
  readonly running: number;
  readonly mostRunning: number;
  /** What the guard says of itself, where there is one. */
  readonly snapshot: unknown;
}

let mostRssBytes = 0;

function noteMemory(): void {
  mostRssBytes = Math.max(mostRssBytes, process.memoryUsage.rss());
}

function usage(): Usage {
  noteMemory();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    atMs: performance.now(),
    cpuMs: (user + system) / 1_000,
    stolenMs: stolenMs(),
    rssBytes: rss,
    heapBytes: heapUsed,
    mostRssBytes,
    running: running.now,
    mostRunning: running.most,
    snapshot: guardSnapshot(),
  };
}

const NOTE_MEMORY_EVERY_MS = 250;

answerQuestions({
  listen: async ({ server, handler }: { server: ServerName; handler: HandlerName }) => {
    const port = await SERVERS[server](handlerNamed(handler));
    setInterval(noteMemory, NOTE_MEMORY_EVERY_MS);
    return port;
  },
  usage,
});
