import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotPossible } from '../fault.js';
import { demand } from './commands.js';

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
    demand('env', ...this.#variables, 'true');
  }

  /** From now on, by so many seconds ahead of the machine's. */
  step(seconds: number): void {
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  /** The command that runs another one by this clock. */
  get before(): readonly string[] {
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
