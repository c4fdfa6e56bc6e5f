import type { ClientSnapshot } from 'plimsoll/client';
import { forkOn, type Place } from '../overload/cores.js';
import { Asked } from '../overload/questions.js';
import type { BackendUse, KillSeen, KillWatch } from './callers/attempt-log.js';
import type { Compared, CompareOptions } from './callers/compare.js';
import type { FloodFound, FloodOptions } from './callers/flood.js';
import type { LoadFound, LoadOptions } from './callers/main.js';
import type { LoopCounts } from './callers/paced-loop.js';

/** A process with a client in it, seen from the bench. */
export class Caller {
  readonly #asked: Asked;

  constructor(place?: Place) {
    this.#asked = new Asked(forkOn(place, new URL('./callers/main.js', import.meta.url)), 'a client');
  }

  begin(options: LoadOptions): Promise<void> {
    return this.#asked.ask('begin', options);
  }

  counts(): Promise<LoopCounts> {
    return this.#asked.ask('counts');
  }

  useOf(url: string): Promise<BackendUse> {
    return this.#asked.ask('useOf', url);
  }

  snapshot(): Promise<ClientSnapshot> {
    return this.#asked.ask('snapshot');
  }

  finish(): Promise<LoadFound> {
    return this.#asked.ask('finish');
  }

  watchKill(): Promise<void> {
    return this.#asked.ask('watchKill');
  }

  afterKill(watch: KillWatch): Promise<KillSeen> {
    return this.#asked.ask('afterKill', watch);
  }

  /** Resolves when it is warm; `flooded` then says what came of it. */
  flood(options: FloodOptions): Promise<void> {
    return this.#asked.ask('flood', options);
  }

  flooded(): Promise<FloodFound> {
    return this.#asked.ask('flooded');
  }

  compare(options: CompareOptions): Promise<Compared> {
    return this.#asked.ask('compare', options);
  }

  stop(): Promise<void> {
    return this.#asked.stop();
  }
}
