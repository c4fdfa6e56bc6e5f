import { type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkPositive, withDefaults } from '../../core/check.js';
import { parseBackendFile } from './backend-file.js';
import { FileSettling } from './file-settling.js';
import { type Found, type Place, PollingResolver } from './polling-resolver.js';
import type { Resolver } from './resolver.js';

/** How closely a file of backends is followed. */
export interface FileResolverOptions {
  /** How often it looks without being told of a change. */
  readonly pollMs: number;
  /** So long a file must have stayed the same before it is read. */
  readonly settleMs: number;
}

export const FILE_RESOLVER_DEFAULTS: FileResolverOptions = Object.freeze({
  // A safety net: network file systems and links into other directories tell of nothing. One stat in 5 s costs nothing.
  pollMs: 5_000,
  // An editor or a script writes such a file within a few milliseconds; a rename needs no waiting at all.
  settleMs: 50,
});

/** Ten thousand backends with all fields are about as much. */
const MOST_BYTES = 1_000_000;

/**
 * Backends from a file, JSON or YAML, followed as it changes: `['http://10.0.0.1:8080', { url, zone, state, host }]`, or
 * the same list as `backends` of an object. A file that is gone, half written or wrong changes nothing.
 */
export function fileResolver(path: string, given?: Partial<FileResolverOptions>): Resolver {
  if (typeof path !== 'string' || path === '') {
    throw new RangeError(`path must be the name of a file, got ${String(path)}`);
  }
  const { pollMs, settleMs } = withDefaults('fileResolver', FILE_RESOLVER_DEFAULTS, given);
  checkPositive('pollMs', pollMs);
  checkPositive('settleMs', settleMs);
  const schedule = {
    minMs: Math.min(settleMs, pollMs),
    maxMs: pollMs,
    retryMinMs: pollMs,
    retryMaxMs: pollMs,
    // A directory where much goes on wakes it often: one stat in so long, not more.
    refreshGapMs: settleMs,
  };
  return new PollingResolver('file', path, schedule, new WatchedFile(path, pollMs, settleMs));
}

class WatchedFile implements Place {
  readonly #path: string;
  readonly #pollMs: number;
  readonly #settleMs: number;
  readonly #settling = new FileSettling();
  #watcher: FSWatcher | undefined;

  constructor(path: string, pollMs: number, settleMs: number) {
    this.#path = path;
    this.#pollMs = pollMs;
    this.#settleMs = settleMs;
  }

  /**
   * The directory and not the file: files are replaced by renaming another (a watch would stay with the old one), and
   * Kubernetes swaps a link beside them. Where it cannot be watched, looking every few seconds has to do.
   */
  open(wake: () => void): void {
    try {
      this.#watcher = watch(dirname(this.#path), { persistent: false }, wake);
      this.#watcher.on('error', () => this.close());
    } catch {
      this.#watcher = undefined;
    }
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  async look(): Promise<Found> {
    const step = this.#settling.observe(await this.#mark());
    if (step !== 'read') {
      return { backends: undefined, validMs: step === 'wait' ? this.#settleMs : this.#pollMs };
    }
    const bytes = await this.#read();
    // Written to while it was read: what was read is worth nothing.
    if (this.#settling.observe(await this.#mark()) !== 'nothing') {
      return { backends: undefined, validMs: this.#settleMs };
    }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { backends: parseBackendFile(text), validMs: this.#pollMs };
  }

  async #read(): Promise<Uint8Array> {
    try {
      return await readAtMost(this.#path, MOST_BYTES);
    } catch (error) {
      // A disk that fails may work the next time; a file that is gone shows when it is back.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#settling.readAgain();
      throw error;
    }
  }

  async #mark(): Promise<string> {
    try {
      // The time of the last change, not of the last writing: that may be set to anything, and rights count too.
      const { ctimeNs, size, ino } = await stat(this.#path, { bigint: true });
      return `${ctimeNs} ${size} ${ino}`;
    } catch (error) {
      // To be gone is a state of a file too: told once, not with every look.
      return (error as Error).message;
    }
  }
}

/** What is no ordinary file (a pipe, a device) may block or never end. */
async function readAtMost(path: string, most: number): Promise<Uint8Array> {
  if (!(await stat(path)).isFile()) throw new Error('it is no file');
  const file = await open(path, 'r');
  try {
    return await readHandle(file, most);
  } finally {
    await file.close();
  }
}

async function readHandle(file: FileHandle, most: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(most + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
  }
  throw new Error(`it is larger than ${most} bytes`);
}
