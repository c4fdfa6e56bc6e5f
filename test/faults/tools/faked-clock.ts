import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotPossible } from '../fault.js';

/** Where distributions put it; the one for programs with threads, since Redis has some. */
const LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib64/faketime/libfaketimeMT.so.1',
  '/usr/lib/faketime/libfaketimeMT.so.1',
];

/** A wall clock of one process that steps when it is told to, by libfaketime; monotonic clocks stay as they are. */
export class FakedClock {
  readonly #folder = mkdtempSync(join(tmpdir(), 'plimsoll-clock-'));
  readonly #file = join(this.#folder, 'offset');
  readonly #library: string;

  constructor() {
    const library = LIBRARIES.find((path) => existsSync(path));
    if (library === undefined) throw new NotPossible('libfaketime is not installed');
    this.#library = library;
    this.step(0);
  }

  /** Throws where a program cannot run by it: one that allocates by jemalloc, as most Redis do, never gets to its start. */
  demand(program: string): void {
    const { status } = spawnSync('env', [...this.#variables, program, '--version'], {
      timeout: 5_000,
      killSignal: 'SIGKILL',
      stdio: 'ignore',
    });
    if (status !== 0)
      throw new NotPossible(`${program} does not start under libfaketime (jemalloc, most likely)`);
  }

  /** From now on, by so many seconds ahead of the machine's. */
  step(seconds: number): void {
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  /** The command that runs another one by this clock. */
  get before(): readonly [string, ...string[]] {
    return ['env', ...this.#variables];
  }

  get #variables(): readonly string[] {
    return [
      `LD_PRELOAD=${this.#library}`,
      `FAKETIME_TIMESTAMP_FILE=${this.#file}`,
      'FAKETIME_NO_CACHE=1',
      'FAKETIME_DONT_FAKE_MONOTONIC=1',
    ];
  }

  stop(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
