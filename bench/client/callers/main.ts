// A client in a process of its own: told whom to call and how, and asked what came of it.
import { type Client, type ClientSnapshot, createClient } from 'plimsoll/client';
import { answerQuestions } from '../../overload/questions.js';
import { AttemptLog, type KillWatch } from './attempt-log.js';
import { type CompareOptions, compare } from './compare.js';
import { type FloodFound, type FloodOptions, flood } from './flood.js';
import { type LoopCounts, PacedLoop, type PaceOptions } from './paced-loop.js';

export interface LoadOptions extends PaceOptions {
  readonly urls: readonly string[];
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
  begin: ({ urls, ...pace }: LoadOptions) => {
    log = new AttemptLog();
    client = createClient({ backends: urls });
    loop = new PacedLoop(client, pace);
  },
  counts: () => loop.counts(),
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
