import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { CpuOfChildren, exitOf, forkRole } from '../child.js';
import type { BackendNews, BackendOptions, BackendOrder, CpuNews } from '../messages.js';
import type { BackendReading, ProcessState } from './backend-reading.js';

/** Long enough to be seen, short enough to be waited for. */
const RESTART_AFTER_MS = 5_000;
/**
 * Below the ports that systems give to connections (from 32768 on, or from 49152): while a backend is away, one of the many
 * connections of its neighbours would have its port, one time in a hundred or so.
 */
const PORTS = { first: 20_000, count: 10_000 };
/** Its port is free as soon as the process before it is gone; others may hold it for a moment. */
const TRIES = 20;
const TRY_AGAIN_MS = 100;
/** Gateway, clients and the page come first, as on machines of their own: at 5 the gateway itself had too much to do. */
const NICE = 10;
/** Longer than a drain takes. */
const GONE_WITHIN_MS = 10_000;

/** One backend: a process, and the next one at the same address when that has died or was replaced. */
export class Backend {
  readonly name: string;
  readonly speed: number;
  readonly #roundsPerMs: number;
  readonly #note: (line: string) => void;
  readonly #cpu = new CpuOfChildren();
  #child: ChildProcess | undefined = undefined;
  #port = 0;
  /** Once it has served at its port, that is where the gateway looks for it. */
  #hasPlace = false;
  #slowdown = 1;
  #isGuarded = true;
  #isClosed = false;
  #state: ProcessState = 'down';
  #starting: Promise<void> | undefined = undefined;
  #replacing: Promise<void> | undefined = undefined;
  /** The process before, until it is gone. */
  #leaving: ChildProcess | undefined = undefined;

  constructor(name: string, speed: number, roundsPerMs: number, note: (line: string) => void) {
    this.name = name;
    this.speed = speed;
    this.#roundsPerMs = roundsPerMs;
    this.#note = note;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get state(): ProcessState {
    return this.#state;
  }

  /** Of all its processes so far. */
  get cpuMs(): number {
    return this.#cpu.ms;
  }

  reading(): BackendReading {
    const { name, url, speed, state } = this;
    return { name, url, pid: this.#child?.pid, speed, state };
  }

  /** Resolves when it serves; at once when the demo has ended meanwhile. Two processes would fight for its port: one starts. */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    let problem = '';
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries > 0) await wait(TRY_AGAIN_MS);
      if (this.#isClosed) return;
      this.#state = 'starting';
      if (!this.#hasPlace) this.#port = drawPort();
      const news = await this.#spawn();
      if (news.kind === 'listening') {
        this.#hasPlace = true;
        this.#state = 'running';
        return;
      }
      problem = news.message;
    }
    if (!this.#isClosed) throw new Error(`backend ${this.name} did not start: ${problem}`);
  }

  set slowdown(times: number) {
    this.#slowdown = times;
    this.#tell({ kind: 'slowdown', times });
  }

  set isGuarded(isOn: boolean) {
    this.#isGuarded = isOn;
    this.#tell({ kind: 'guard', isOn });
  }

  /** Serves on, and tells the gateway to go elsewhere. There is no way back but a new process. */
  lameDuck(): void {
    if (this.#state === 'running') this.#state = 'lame-duck';
    this.#tell({ kind: 'lame-duck' });
  }

  /** As if the machine had lost its power. It comes back by itself. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /**
   * A new process in its place. With SIGTERM as a deployment does it: when the old one has served what it had; with SIGKILL
   * at once. One that is on its way out is replaced once, however often that is asked for.
   */
  replace(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (signal === 'SIGKILL') this.#leaving?.kill(signal);
    this.#replacing ??= this.#replace(signal).finally(() => {
      this.#replacing = undefined;
    });
    return this.#replacing;
  }

  async #replace(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child !== undefined) {
      this.#state = 'leaving';
      // From here on its end is no surprise.
      this.#child = undefined;
      this.#leaving = child;
      const gone = exitOf(child);
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), GONE_WITHIN_MS);
      await gone;
      clearTimeout(timer);
      this.#leaving = undefined;
    }
    if (!this.#isClosed) await this.start();
  }

  /** At once: nobody is served any more. Resolves when its process is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const children = [this.#child, this.#leaving].flatMap((child) => child ?? []);
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(exitOf));
  }

  #tell(order: BackendOrder): void {
    if (this.#child?.connected) this.#child.send(order, () => {});
  }

  /** What a new process says first; that it has died, if that is all. */
  #spawn(): Promise<BackendNews> {
    const child = forkRole('backend');
    this.#child = child;
    this.#cpu.follow(child);
    lowerPriority(child);
    const options: BackendOptions = {
      name: this.name,
      port: this.#port,
      speed: this.speed,
      slowdown: this.#slowdown,
      roundsPerMs: this.#roundsPerMs,
      isGuarded: this.#isGuarded,
    };
    return new Promise((resolve) => {
      child.on('message', (news) => {
        const heard = news as BackendNews | CpuNews;
        if (heard.kind === 'cpu') return;
        if (heard.kind === 'failed') {
          this.#child = undefined;
          child.kill('SIGKILL');
        }
        resolve(heard);
      });
      child.once('error', ({ message }) => resolve({ kind: 'failed', message }));
      child.once('exit', () => {
        resolve({ kind: 'failed', message: 'its process ended' });
        this.#ended(child);
      });
      this.#tell({ kind: 'start', options });
    });
  }

  /** Somebody has killed it, or it has died of itself. */
  #ended(child: ChildProcess): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    // Who starts it tries again.
    if (this.#isClosed || this.#state === 'starting') return;
    this.#state = 'down';
    this.#note(`backend ${this.name} is gone, and back in ${RESTART_AFTER_MS / 1_000} s`);
    setTimeout(() => {
      if (this.#isClosed || this.#state !== 'down') return;
      this.start().then(
        () => this.#note(`backend ${this.name} is back`),
        ({ message }: Error) => this.#note(message),
      );
    }, RESTART_AFTER_MS).unref();
  }
}

function drawPort(): number {
  return PORTS.first + Math.floor(Math.random() * PORTS.count);
}

/** From its first moment: to load a program takes a good part of a second, which those that serve would miss. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, NICE);
  } catch {
    // Not everybody may; the page is a little slower then.
  }
}
