// The process that makes the load. It measures nothing before it is told to, and answers with figures only.
import { answerQuestions } from '../questions.js';
import { CoreWatch } from '../watch/core-watch.js';
import { type SaturateOptions, saturate } from './closed-loop.js';
import { ConnectionPool } from './connection-pool.js';
import { Flood, type FloodOptions } from './open-loop.js';
import { buildRequest, GREETING_PATH } from './requests.js';

let pool: ConnectionPool | undefined;

function opened(): ConnectionPool {
  if (pool === undefined) throw new Error('no connections are open');
  return pool;
}

let watch: CoreWatch | undefined;

answerQuestions({
  /** Whether it can. */
  watch: async (cores: readonly number[]) => {
    watch = await CoreWatch.start(cores);
    return watch !== undefined;
  },
  open: async ({ port, connections }: { port: number; connections: number }) => {
    pool?.close();
    pool = await ConnectionPool.open(port, connections, buildRequest(GREETING_PATH));
  },
  flood: (options: FloodOptions) =>
    new Flood(opened(), options, (criticality) => buildRequest('/', criticality)).run(watch),
  saturate: (options: SaturateOptions) => saturate(opened(), options, buildRequest('/')),
  close: () => {
    pool?.close();
    pool = undefined;
  },
});
