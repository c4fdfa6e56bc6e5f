// The process that sends several streams at once. It measures nothing before it is told to, and answers with figures only.
import { ConnectionPool } from '../../overload/load/connection-pool.js';
import { Flood } from '../../overload/load/open-loop.js';
import { buildRequest } from '../../overload/load/requests.js';
import { answerQuestions } from '../../overload/questions.js';
import { CoreWatch } from '../../overload/watch/core-watch.js';
import { type SlowService, serveSlowly } from './slow-service.js';
import { type StreamFloodOptions, scheduleStreams } from './streams.js';

/** Of a service that answers at once. */
const GREETING = buildRequest('/fast');

let pool: ConnectionPool | undefined;

let watch: CoreWatch | undefined;

answerQuestions({
  /** Whether it can. */
  watch: async (cores: readonly number[]) => {
    watch = await CoreWatch.start(cores);
    return watch !== undefined;
  },
  /** Where it is. */
  serve: (service: SlowService) => serveSlowly(service),
  open: async ({ port, connections }: { port: number; connections: number }) => {
    pool?.close();
    pool = await ConnectionPool.open(port, connections, GREETING);
  },
  flood: (options: StreamFloodOptions) => {
    if (pool === undefined) throw new Error('no connections are open');
    const requests = new Map(
      options.streams.map(({ name, path, criticality }) => [name, buildRequest(path, criticality)]),
    );
    const requestOf = (name?: string) => (name === undefined ? GREETING : requests.get(name)!);
    return new Flood(pool, options, requestOf, scheduleStreams(options)).run(watch);
  },
  close: () => {
    pool?.close();
    pool = undefined;
  },
});
