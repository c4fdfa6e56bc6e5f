import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demand, demandRoot } from './commands.js';

const BYTES = 4 * 2 ** 20;

/** A file system of its own, of 4 MB, that can be full. */
export class TinyDisk {
  readonly path: string;
  readonly #filler: string;

  private constructor(path: string) {
    this.path = path;
    this.#filler = join(path, 'filler');
  }

  static mount(): TinyDisk {
    demandRoot('a disk of 4 MB (mount)');
    const path = mkdtempSync(join(tmpdir(), 'plimsoll-disk-'));
    demand('mount', '-t', 'tmpfs', '-o', `size=${BYTES}`, 'plimsoll-faults', path);
    return new TinyDisk(path);
  }

  /** To the last byte. */
  fill(): void {
    const { bavail, bsize } = statfsSync(this.path);
    writeFileSync(this.#filler, Buffer.alloc(bavail * bsize));
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }

  stop(): void {
    spawnSync('umount', ['--lazy', this.path]);
    rmdirSync(this.path);
  }
}
