import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quotaFileText } from './demo-settings.js';

/** The file of quotas that the gateway follows. */
export class DemoQuotaFile {
  readonly path: string;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'quota.yaml');
  }

  static async create(): Promise<DemoQuotaFile> {
    const file = new DemoQuotaFile(await mkdtemp(join(tmpdir(), 'plimsoll-demo-')));
    await writeFile(file.path, quotaFileText(undefined));
    return file;
  }

  /** The gateway looks once a second. */
  async setCapacity(perSecond: number): Promise<void> {
    await writeFile(this.path, quotaFileText(perSecond));
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
