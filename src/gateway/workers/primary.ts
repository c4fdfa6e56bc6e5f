import cluster from 'node:cluster';
import type { SettingsError } from '../../config/index.js';
import { memoryStore, type RateStore } from '../../rate-limit/index.js';
import { readProcessLimits } from '../../server/signals/cgroup.js';
import { FailedSettings } from '../failed-settings.js';
import { checkNeededFiles, checkQuotaFile } from '../file-checks.js';
import type { Gateway } from '../gateway.js';
import { type GatewayEvent, GatewayEvents } from '../gateway-events.js';
import { inDirectory } from '../in-directory.js';
import type { ListeningAt } from '../listeners.js';
import { checkReloadable } from '../reload-checks.js';
import { type GatewaySettings, msOf } from '../settings/index.js';
import type { Handlers } from './channel.js';
import { PrimaryQuota } from './primary-quota.js';
import type { SentUsage } from './quota-messages.js';
import { applyAll, prepareAll, type SentSettings } from './reload-all.js';
import { StoreDesk } from './store-desk.js';
import type { SentAsks } from './store-messages.js';
import { workerEnvironment } from './worker-environment.js';
import type { FailedMessage, StartMessage } from './worker-messages.js';
import { WorkerPool } from './worker-pool.js';
import { type WorkerProcess, WorkerStartError } from './worker-process.js';
import { settingsForWorker } from './worker-settings.js';

/** How many processes serve, and who is told what they do. */
export interface PrimaryOptions {
  /** Processes that serve. */
  readonly workers: number;
  /** What names of files in settings are relative to. */
  readonly directory: string;
  /** A line for people. */
  readonly note: (line: string) => void;
  /** Told why a file that has changed does not hold. */
  readonly onProblem: (error: SettingsError) => void;
}

/** What is known without asking a worker. */
export interface PrimarySnapshot {
  readonly state: Gateway['state'];
  readonly pid: number;
  readonly workers: number;
  readonly reloads: number;
  /** Settings that did not come to hold, also those that no worker was ever asked about. */
  readonly failedReloads: number;
  readonly quota: object | undefined;
}

/** A worker that gets SIGTERM with all others is not to be replaced: the primary has its own within this time. */
const SIGNAL_MS = 1_000;

/**
 * A gateway of several processes: this one has the settings, the signals, the admin port and the counts of limits, and
 * serves no request. What it offers is what a gateway offers.
 */
export class GatewayPrimary {
  readonly events = new GatewayEvents();
  readonly #failed = new FailedSettings(this.events);
  readonly pool: WorkerPool;
  readonly #options: PrimaryOptions;
  readonly #store: RateStore;
  readonly #desk: StoreDesk;
  #quota: PrimaryQuota | undefined = undefined;
  #settings: GatewaySettings;
  #version = 1;
  #state: Gateway['state'] = 'starting';
  /** One after the other. */
  #reloading: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined = undefined;
  #reloads = 0;
  #toldProblem = '';

  constructor(settings: GatewaySettings, options: PrimaryOptions) {
    if (!cluster.isPrimary)
      throw new RangeError(
        `workers must be 1 in a worker of another program's cluster, got ${options.workers}`,
      );
    this.#settings = settings;
    this.#options = options;
    this.#store = memoryStore();
    this.#desk = new StoreDesk(this.#store);
    const { memoryBytes } = readProcessLimits();
    const self = { environment: process.env, execArgv: process.execArgv, memoryBytes };
    this.pool = new WorkerPool({
      count: options.workers,
      environment: (slot) => workerEnvironment({ slot, workers: options.workers }, self),
      handlers: (worker) => this.#handlers(worker),
      drainMs: () => msOf(this.#settings.drain.timeout),
      onEvent: (event) => this.events.emit(event),
      note: options.note,
    });
  }

  get settings(): GatewaySettings {
    return this.#settings;
  }

  get state(): Gateway['state'] {
    return this.#state === 'ready' && this.pool.ready.length === 0 ? 'starting' : this.#state;
  }

  /** What is known here. */
  snapshot(): PrimarySnapshot {
    const { workers } = this.#options;
    const counts = { reloads: this.#reloads, failedReloads: this.#failed.count };
    return { state: this.state, pid: process.pid, workers, ...counts, quota: this.#quota?.snapshot() };
  }

  /** Resolves when all workers serve. Rejects with why one cannot, in one line where possible; then none is left. */
  async listen(): Promise<readonly ListeningAt[]> {
    const { quota, redis } = this.#settings;
    const { directory } = this.#options;
    // Workers read them, too, but only here it is known where settings name them.
    await checkNeededFiles(this.#settings, directory);
    await checkQuotaFile(this.#settings, directory);
    if (quota !== undefined && redis === undefined) {
      const path = inDirectory(directory, quota.file);
      this.#quota = await PrimaryQuota.open(path, this.#options.workers, this.pool, this.#tellOnce);
    }
    await this.pool.start();
    this.#state = 'ready';
    return this.pool.listening;
  }

  /** Other settings for all workers, or, when they cannot hold in one of them, for none: then it rejects. */
  reload(settings: GatewaySettings): Promise<void> {
    const reloading = this.#reloading.then(() => this.#reload(settings));
    this.#reloading = reloading.then(
      () => this.events.emit({ kind: 'reload' }),
      (error: unknown) => this.settingsFailed(error),
    );
    return reloading;
  }

  /** For settings that cannot be read, and never come to `reload`. What has failed there is known already. */
  settingsFailed(error: unknown): void {
    this.#failed.note(error);
  }

  /** A worker for a worker, without losing a request. */
  async roll(): Promise<void> {
    await this.pool.roll();
  }

  /** The files of their logs may be others by now. */
  reopenLogs(): void {
    for (const { channel } of this.pool.ready) channel.tell('reopen');
  }

  /** All serve on, and tell clients to go elsewhere. */
  lameDuck(): void {
    if (this.#state !== 'ready') return;
    this.#state = 'lame-duck';
    this.events.emit({ kind: 'lame-duck' });
  }

  /** All workers drain; those that come later are sent away. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#state = 'draining';
    this.events.emit({ kind: 'drain' });
    const wasClean = await this.pool.drain();
    if (!wasClean) this.#options.note('workers that did not end in time were killed');
    this.#state = 'closed';
    this.#quota?.close();
    await this.#store.close();
  }

  async #reload(settings: GatewaySettings): Promise<void> {
    if (this.#closing !== undefined) throw new Error('the gateway is closed');
    checkReloadable(this.#settings, settings);
    await checkNeededFiles(settings, this.#options.directory);
    const workers = this.pool.informed;
    const version = this.#version + 1;
    await prepareAll(workers, ({ name }) => this.#sent(settings, version, Number(name) - 1));
    // Whoever starts from here on begins with these.
    this.#settings = settings;
    this.#version = version;
    this.#reloads++;
    await applyAll(workers, version);
  }

  #sent(settings: GatewaySettings, version: number, slot: number): SentSettings {
    const { workers } = this.#options;
    return { settings: settingsForWorker(settings, { slot, workers }), version };
  }

  /** What workers ask and tell. */
  #handlers(worker: WorkerProcess): Handlers {
    return {
      start: () => this.#start(worker),
      made: ({ version }: { readonly version: number }) => this.#onMade(worker, version),
      failed: ({ message, isExpected }: FailedMessage) => {
        worker.failure = new WorkerStartError(message, isExpected);
      },
      rate: (asks: SentAsks) => this.#desk.answer(asks),
      usage: (usage: SentUsage) => this.#quota?.report(worker, usage),
      problem: ({ message }: { readonly message: string }) => this.#tellOnce({ message } as SettingsError),
      event: (event: GatewayEvent) => this.events.emit({ ...event, worker: worker.slot + 1 } as GatewayEvent),
      leaving: () => {
        setTimeout(() => {
          this.pool.replace(worker).catch(({ message }: Error) => this.#options.note(message));
        }, SIGNAL_MS);
      },
    };
  }

  #start({ slot }: WorkerProcess): StartMessage {
    const { workers, directory } = this.#options;
    return {
      ...this.#sent(this.#settings, this.#version, slot),
      directory,
      place: { slot, workers },
      isLameDuck: this.#state === 'lame-duck',
    };
  }

  /**
   * A worker has made what its settings take, and is about to serve. If others hold by now it gets those first; from then
   * on it is told of changes like the rest. One that is under way is waited for: half of it would pass by this worker.
   */
  async #onMade(worker: WorkerProcess, version: number): Promise<SentSettings | undefined> {
    await this.#reloading;
    if (version !== this.#version) return this.#sent(this.#settings, this.#version, worker.slot);
    worker.version = version;
    return undefined;
  }

  /** All workers read the same files, and find the same fault in them. */
  readonly #tellOnce = (problem: SettingsError): void => {
    if (problem.message === this.#toldProblem) return;
    this.#toldProblem = problem.message;
    this.#options.onProblem(problem);
  };
}
