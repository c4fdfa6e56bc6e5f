// A client in a process of its own: told whom to call and how, and asked what came of it.
import { type Client, type ClientSnapshot, createClient } from 'plimsoll/client';
import { answerQuestions } from '../../overload/questions.js';
import { AttemptLog, type KillWatch } from './attempt-log.js';
import { type CompareOptions, compare } from './compare.js';
import { type FloodFound, type FloodOptions, flood } from './flood.js';
import { type LoopCounts, PacedLoop, type PaceOptions } from './paced-loop.js';

export interface LoadOptions extends PaceOptions {
  readonly urls: readonly string[];
  /** Of each request; without it they have no deadline. */
  readonly timeoutMs?: number;
}

export interface LoadFound extends LoopCounts {
  readonly snapshot: ClientSnapshot;
  /** How requests that failed had fared. */
  readonly endings: readonly string[];
}

let client: Client;
let loop: PacedLoop;
let log: AttemptLog;
let flooding: Promise<FloodFound>;

answerQuestions({
  begin: ({ urls, timeoutMs, ...pace }: LoadOptions) => {
    log = new AttemptLog();
    client = createClient({ backends: urls, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    loop = new PacedLoop(client, pace);
  },
  counts: () => loop.counts(),
  snapshot: () => client.snapshot(),
  useOf: (url: string) => log.useOf(url),
  finish: async (): Promise<LoadFound> => {
    const counts = await loop.finish();
    const snapshot = client.snapshot();
    await client.destroy();
    return { ...counts, snapshot, endings: log.endings };
  },
  watchKill: () => log.begin(),
  afterKill: (watch: KillWatch) => log.look(watch),
  /** Resolves when it is warm. */
  flood: (options: FloodOptions) =>
    new Promise<void>((resolve, reject) => {
      flooding = flood(options, resolve);
      flooding.catch(reject);
    }),
  flooded: () => flooding,
  compare: (options: CompareOptions) => compare(options),
});
