import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quotaFileText } from './demo-settings.js';

/** The files of a demo, in a folder that nobody else may read (mkdtemp: mode 0700) and that ends with it. */
export class DemoFolder {
  /** What the gateway follows. */
  readonly quotaFile: string;
  readonly #folder: string;

  /** At once: between making a folder and knowing of it there is no instant in which a signal could leave it behind. */
  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'plimsoll-demo-'));
    this.quotaFile = join(this.#folder, 'quota.yaml');
  }

  /** The gateway looks once a second. Undefined: not known yet. */
  async setCapacity(perSecond: number | undefined): Promise<void> {
    await writeFile(this.quotaFile, quotaFileText(perSecond));
  }

  /** Resolves with the path of a page. */
  async write(name: string, text: string): Promise<string> {
    const path = join(this.#folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }

  /** At once, as it is made. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
