import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkWithin, withDefaults } from '../core/check.js';
import type { Variables } from './environment.js';
import { FileChanges } from './file-changes.js';
import { parseSettings, type SettingsSchema } from './parse-settings.js';
import { readText } from './read-settings.js';
import { SettingsError } from './settings-error.js';

export interface SettingsFileOptions<T> {
  /** Told of each other value, after the first. What it throws, or rejects with, is a problem of the file: it does not hold. */
  readonly onChange: (value: T) => unknown;
  /** Told why a file that has changed does not hold, once. What held before goes on. */
  readonly onProblem: (error: SettingsError) => void;
  /** Told that a file that did not hold says again what holds. */
  readonly onMended: () => void;
  /** How often it looks. */
  readonly pollMs: number;
  /** So long a file must have stayed the same before it is read. */
  readonly settleMs: number;
  /** Looks at once when the process gets SIGHUP. */
  readonly sighup: boolean;
  /** Where `${NAME}` comes from. Undefined: it is text like any other. */
  readonly environment: Variables | undefined;
}

export const SETTINGS_FILE_DEFAULTS: SettingsFileOptions<unknown> = Object.freeze({
  onChange: () => {},
  onProblem: ({ message }: SettingsError) => console.error(message),
  onMended: () => {},
  // Whoever saves a file looks for what it does after a second or so. One stat takes 50 µs, on another thread.
  pollMs: 1_000,
  // An editor or a script writes such a file within a few milliseconds.
  settleMs: 50,
  sighup: false,
  environment: undefined,
});

/** A day: what is longer is a mistake, or too long for a timer. */
const MOST_MS = 86_400_000;

/**
 * A file that is followed as it changes. It looks at the file again and again instead of being told: files are replaced by
 * renaming others, Kubernetes swaps a link somewhere above them, network file systems tell of nothing; and all that shows
 * in what the name leads to. It keeps no process alive.
 */
export class SettingsFile<T> {
  readonly path: string;
  readonly #schema: SettingsSchema<T>;
  readonly #options: SettingsFileOptions<T>;
  readonly #changes: FileChanges;
  readonly #closing = new AbortController();
  #value: T;
  /** One look at a time. */
  #looks: Promise<void> = Promise.resolve();

  /** Rejects with a SettingsError when the file is wrong: there is nothing that could go on. */
  static async open<T>(
    path: string,
    schema: SettingsSchema<T>,
    given?: Partial<SettingsFileOptions<T>>,
  ): Promise<SettingsFile<T>> {
    const defaults = SETTINGS_FILE_DEFAULTS as SettingsFileOptions<T>;
    const options = withDefaults('settings file', defaults, given);
    checkWithin('pollMs', options.pollMs, 1, MOST_MS);
    checkWithin('settleMs', options.settleMs, 1, MOST_MS);
    // What changes from here on shows at the first look.
    const mark = await markOf(path);
    const text = await readRegular(path);
    const value = parseSettings(text, schema, path, options);
    return new SettingsFile(path, schema, options, value, new FileChanges(mark, text));
  }

  private constructor(
    path: string,
    schema: SettingsSchema<T>,
    options: SettingsFileOptions<T>,
    value: T,
    changes: FileChanges,
  ) {
    this.path = path;
    this.#schema = schema;
    this.#options = options;
    this.#value = value;
    this.#changes = changes;
    if (options.sighup) process.on('SIGHUP', this.#onSignal);
    void this.#follow();
  }

  /** What holds. */
  get value(): T {
    return this.#value;
  }

  /** Looks now; resolves when what it found holds, or was told to `onProblem`. Never rejects. */
  reload(): Promise<void> {
    this.#changes.ask();
    return this.#look();
  }

  /** Nothing is told from here on. */
  close(): void {
    process.off('SIGHUP', this.#onSignal);
    this.#closing.abort();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  readonly #onSignal = (): void => {
    void this.reload();
  };

  async #follow(): Promise<void> {
    while (await this.#wait(this.#options.pollMs, false)) await this.#look();
  }

  /** False when it was closed meanwhile. `ref`: it is waited for, and the process with it. */
  async #wait(ms: number, ref: boolean): Promise<boolean> {
    await sleep(ms, undefined, { ref, signal: this.#closing.signal }).catch(() => {});
    return !this.#isClosed;
  }

  #look(): Promise<void> {
    this.#looks = this.#looks.then(() => this.#lookOnce());
    return this.#looks;
  }

  async #lookOnce(): Promise<void> {
    for (;;) {
      const step = this.#changes.observe(await markOf(this.path));
      if (step === 'nothing' || this.#isClosed) return;
      if (step === 'read' && (await this.#read())) return;
      // Somebody may await this look, who has nothing else to do.
      if (!(await this.#wait(this.#options.settleMs, true))) return;
    }
  }

  /** False when it was written to meanwhile: what was read is worth nothing. */
  async #read(): Promise<boolean> {
    try {
      const mark = await markOf(this.path);
      const text = await readRegular(this.path);
      if ((await markOf(this.path)) !== mark) return false;
      if (this.#isClosed) return true;
      if (this.#changes.isNews(text)) await this.#apply(text);
      else if (this.#changes.isMended()) heedless(this.#options.onMended);
    } catch (error) {
      this.#tell(error);
      // A disk that fails may work the next time; a file that is gone shows when it is back.
      const code = codeOf(error) ?? codeOf((error as Error | undefined)?.cause);
      if (code !== undefined && code !== 'ENOENT') this.#changes.readAgain();
    }
    return true;
  }

  async #apply(text: string): Promise<void> {
    const value = parseSettings(text, this.#schema, this.path, this.#options);
    await this.#options.onChange(value);
    this.#value = value;
    this.#changes.applied(text);
  }

  #tell(error: unknown): void {
    const problem = error instanceof SettingsError ? error : notApplied(this.path, error);
    if (this.#isClosed || !this.#changes.isToBeTold(problem.message)) return;
    heedless(() => this.#options.onProblem(problem));
  }
}

/** Nobody waits for who is told: what is thrown there, thrown on, would end the process. */
function heedless(tell: () => void): void {
  try {
    tell();
  } catch (fault) {
    console.error(fault);
  }
}

function notApplied(path: string, error: unknown): SettingsError {
  const text = error instanceof Error ? error.message : String(error);
  return new SettingsError(path, [{ path: '', text }], { cause: error });
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined | null)?.code;
}

/** What is no ordinary file (a pipe, a device) may block or never end. */
async function readRegular(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === false) throw new SettingsError(path, [{ path: '', text: 'is no ordinary file' }]);
  return readText(path);
}

/** What changes with a file, or with what its name leads to. To be gone is a state of a file too. */
async function markOf(path: string): Promise<string> {
  try {
    // The time of the last change, not of the last writing: that may be set to anything, and rights count too.
    const { ctimeNs, size, ino, dev } = await stat(path, { bigint: true });
    return `${ctimeNs} ${size} ${ino} ${dev}`;
  } catch (error) {
    return (error as Error).message;
  }
}
