/** What of BullMQ is needed; described here so that the package's types do not need BullMQ's. */
export interface BullMq {
  readonly Queue: new (name: string, options: object) => BullQueue;
  readonly Worker: new (name: string, process: ProcessJob, options: object) => BullWorker;
  /** Thrown by what has put its job back among the delayed ones. */
  readonly DelayedError: new () => Error;
  /** Thrown when another attempt cannot help. */
  readonly UnrecoverableError: new (
    message: string,
  ) => Error;
}

export interface BullJob {
  readonly id?: string;
  readonly data: unknown;
  readonly attemptsMade: number;
  readonly attemptsStarted: number;
  readonly failedReason?: string;
  readonly finishedOn?: number;
  updateData(data: unknown): Promise<void>;
  moveToDelayed(dueMs: number, token: string | undefined): Promise<void>;
  retry(state: 'failed', options: { readonly resetAttemptsMade: boolean }): Promise<void>;
}

export type ProcessJob = (job: BullJob, token: string | undefined) => Promise<void>;

export interface BullQueue {
  /** The key in Redis of one of the queue's parts, or of a job. */
  toKey(part: string): string;
  add(name: string, data: unknown, options: object): Promise<unknown>;
  /** 0 when it is running. */
  remove(id: string): Promise<number>;
  getJob(id: string): Promise<BullJob | undefined>;
  getFailed(first: number, last: number): Promise<readonly (BullJob | undefined)[]>;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  close(): Promise<void>;
}

export interface BullWorker {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'stalled', listener: (id: string) => void): unknown;
  on(event: 'failed', listener: (job: BullJob | undefined) => void): unknown;
  /** Takes jobs until it is closed. */
  run(): Promise<void>;
  /** No more jobs are taken; those that run go on. */
  pause(doNotWait: true): Promise<void>;
  close(isForced: boolean): Promise<void>;
}

/** Only who queues needs the package. */
export async function loadBullMq(): Promise<BullMq> {
  try {
    return (await import('bullmq')) as unknown as BullMq;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('onLimit: queue needs the package bullmq: npm install bullmq ioredis', { cause: error });
  }
}
