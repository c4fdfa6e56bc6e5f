import type { SettingsError } from '../../config/index.js';
import type { QuotaCoordinatorSnapshot } from '../../core/index.js';
import { QUOTA_SETTINGS, type QuotaFile, type SettingsFile, watchQuotaFile } from '../../quota/index.js';
import { withUnmetered } from '../shared-state.js';
import { QuotaDesk } from './quota-desk.js';
import type { SentUsage } from './quota-messages.js';
import type { WorkerPool } from './worker-pool.js';
import type { WorkerProcess } from './worker-process.js';

/** Divides quotas among the workers, again and again, as its file has them. */
export class PrimaryQuota {
  readonly #file: SettingsFile<QuotaFile>;
  readonly #desk: QuotaDesk;
  readonly #timer: NodeJS.Timeout;

  private constructor(file: SettingsFile<QuotaFile>, desk: QuotaDesk, pool: WorkerPool) {
    this.#file = file;
    this.#desk = desk;
    this.#timer = setInterval(() => {
      const levels = desk.divide(performance.now());
      if (levels !== undefined) for (const { channel } of pool.ready) channel.tell('levels', levels);
    }, QUOTA_SETTINGS.everyMs).unref();
  }

  static async open(
    path: string,
    workers: number,
    pool: WorkerPool,
    onProblem: (error: SettingsError) => void,
  ): Promise<PrimaryQuota> {
    let desk: QuotaDesk | undefined;
    const file = await watchQuotaFile(path, {
      onChange: ({ limits }: QuotaFile) => desk?.setLimits(withUnmetered(limits)),
      onProblem,
    });
    desk = new QuotaDesk(withUnmetered(file.value.limits), workers, performance.now());
    return new PrimaryQuota(file, desk, pool);
  }

  report(worker: WorkerProcess, usage: SentUsage): void {
    // By its process: what one has said must not be taken for what the next one says.
    this.#desk.report(worker.pid, usage, performance.now());
  }

  snapshot(): QuotaCoordinatorSnapshot {
    return this.#desk.snapshot(performance.now());
  }

  close(): void {
    clearInterval(this.#timer);
    this.#file.close();
  }
}
