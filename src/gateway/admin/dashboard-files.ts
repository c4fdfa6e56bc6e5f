import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a build puts the page, seen from where it puts this file. */
const BUILT = new URL('../../dashboard/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

/** Best first. */
const CODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

/** One form of a file: as it is, or packed. */
export interface FileForm {
  /** Undefined: as it is. */
  readonly coding: string | undefined;
  readonly body: Buffer;
  readonly etag: string;
}

export interface DashboardFile {
  readonly type: string;
  /** Its name has a hash of what is in it, so it never changes. */
  readonly isImmutable: boolean;
  /** Best first; the last is the file as it is. */
  readonly forms: readonly FileForm[];
}

/**
 * The files of the page, by their names within `dashboard/`. They are read with the first request for one, all at once:
 * a name that comes with a request is looked up, and never joined to a path.
 */
export class DashboardFiles {
  readonly #directory: string;
  #files: Promise<ReadonlyMap<string, DashboardFile>> | undefined = undefined;

  constructor(directory: URL = BUILT) {
    this.#directory = fileURLToPath(directory);
  }

  /** Undefined: it is not built here. */
  async all(): Promise<ReadonlyMap<string, DashboardFile> | undefined> {
    this.#files ??= readAll(this.#directory);
    try {
      return await this.#files;
    } catch {
      // It may be built meanwhile.
      this.#files = undefined;
      return undefined;
    }
  }
}

async function readAll(directory: string): Promise<ReadonlyMap<string, DashboardFile>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const bodies = new Map<string, Buffer>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    bodies.set(relative(directory, path).split(sep).join('/'), await readFile(path));
  }
  if (!bodies.has('index.html')) throw new Error('there is no index.html');
  const files = new Map<string, DashboardFile>();
  for (const [name, body] of bodies) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const isImmutable = /^assets\/.+-[\w-]{8}\.\w+$/.test(name);
    files.set(name, { type, isImmutable, forms: formsOf(name, body, bodies) });
  }
  return files;
}

function formsOf(name: string, body: Buffer, bodies: ReadonlyMap<string, Buffer>): FileForm[] {
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const packed = CODINGS.flatMap(({ name: coding, suffix }) => {
    const form = bodies.get(name + suffix);
    // Each form has a mark of its own (RFC 9110, 8.8.3): what is kept of one is no copy of another.
    return form === undefined ? [] : [{ coding, body: form, etag: `"${etag}-${coding}"` }];
  });
  return [...packed, { coding: undefined, body, etag: `"${etag}"` }];
}
