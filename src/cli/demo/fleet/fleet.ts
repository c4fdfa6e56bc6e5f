import { Backend } from './backend.js';
import type { BackendReading } from './backend-reading.js';

/** From a machine that was bought this year to one that should have been retired: a fleet as it grows. */
const SPEEDS = [1.6, 1.3, 1.1, 0.9, 0.8, 0.6];

export const BACKEND_NAMES: readonly string[] = SPEEDS.map((_, at) => `backend-${at + 1}`);

/** All backends. */
export class Fleet {
  readonly #backends: readonly Backend[];
  #restarting: Promise<void> | undefined = undefined;

  constructor(roundsPerMs: number, note: (line: string) => void) {
    this.#backends = SPEEDS.map((speed, at) => new Backend(BACKEND_NAMES[at]!, speed, roundsPerMs, note));
  }

  get urls(): string[] {
    return this.#backends.map(({ url }) => url);
  }

  get cpuMs(): number {
    return this.#backends.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  }

  get isRestarting(): boolean {
    return this.#restarting !== undefined;
  }

  readings(): BackendReading[] {
    return this.#backends.map((backend) => backend.reading());
  }

  find(name: string): Backend | undefined {
    return this.#backends.find((backend) => backend.name === name);
  }

  async start(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.start()));
  }

  /** This one takes so many times as long as usual; all others take their time. */
  slowDown(name: string | undefined, times: number): void {
    for (const backend of this.#backends) backend.slowdown = backend.name === name ? times : 1;
  }

  set isGuarded(isOn: boolean) {
    for (const backend of this.#backends) backend.isGuarded = isOn;
  }

  /** One by one, each when the one before it serves. Asked for twice it is done once. */
  restartAll(): Promise<void> {
    this.#restarting ??= this.#restartAll().finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  async #restartAll(): Promise<void> {
    for (const backend of this.#backends) await backend.replace('SIGTERM');
  }

  /** All at once, whatever they have to do. */
  async renew(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.replace('SIGKILL')));
  }

  async close(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }
}
