import type { ChildProcess } from 'node:child_process';
import { CpuOfChildren, exitOf, forkRole } from '../child.js';
import type { LoadFigures, LoadNews, LoadOrder } from '../messages.js';
import type { LoadPlan } from './load-plan.js';

/** The process that makes the load, as the primary sees it. */
export class LoadSource {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<LoadNews['kind'], (news: LoadNews) => void>();
  readonly #cpu = new CpuOfChildren();
  #recent: LoadFigures | undefined = undefined;
  #isClosed = false;

  /** `onEnd` when it has died of itself, which it should not; `onFigures` twice a second. */
  constructor(onFigures: (figures: LoadFigures) => void, onEnd: () => void) {
    this.#child = forkRole('load');
    this.#cpu.follow(this.#child);
    this.#child.on('message', (given) => {
      const news = given as LoadNews;
      if (news.kind === 'recent') {
        this.#recent = news.figures;
        onFigures(news.figures);
      }
      this.#waiting.get(news.kind)?.(news);
      this.#waiting.delete(news.kind);
    });
    this.#child.once('exit', () => {
      if (!this.#isClosed) onEnd();
    });
  }

  /** Of the last two seconds. */
  get recent(): LoadFigures | undefined {
    return this.#recent;
  }

  get cpuMs(): number {
    return this.#cpu.ms;
  }

  start(origin: string): void {
    this.#tell({ kind: 'start', origin });
  }

  /** What is served a second to clients that ask again and again. */
  async measure(ms: number): Promise<number> {
    const news = await this.#ask({ kind: 'measure', ms }, 'measured');
    return news.perSecond;
  }

  offer(plan: LoadPlan): void {
    this.#tell({ kind: 'offer', plan });
  }

  count(): void {
    this.#tell({ kind: 'count' });
  }

  async total(): Promise<LoadFigures> {
    const news = await this.#ask({ kind: 'total' }, 'total');
    return news.figures;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#child.kill('SIGKILL');
    await exitOf(this.#child);
  }

  #tell(order: LoadOrder): void {
    if (this.#child.connected) this.#child.send(order, () => {});
  }

  #ask<Kind extends LoadNews['kind']>(
    order: LoadOrder,
    kind: Kind,
  ): Promise<Extract<LoadNews, { kind: Kind }>> {
    return new Promise((resolve) => {
      this.#waiting.set(kind, (news) => resolve(news as Extract<LoadNews, { kind: Kind }>));
      this.#tell(order);
    });
  }
}
