import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { MOST_BYTES, readSettingsFile } from './read-settings.js';
import { SettingsError } from './settings-error.js';

const SCHEMA = z.strictObject({ durationMs: z.number().positive(), services: z.strictObject({}) });

describe('a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-settings-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, content: string | Uint8Array) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it('is read, and called by its path', async () => {
    const path = write('good.yaml', 'durationMs: 5\nservices: {}\n');
    expect(await readSettingsFile(path, SCHEMA)).toEqual({ durationMs: 5, services: {} });
    const bad = write('bad.yaml', 'durationMs: 0\nservices: {}\n');
    await expect(readSettingsFile(bad, SCHEMA)).rejects.toThrow(
      `${bad}:1:13: durationMs: must be a number > 0, got 0`,
    );
  });

  it('that cannot be read is not believed', async () => {
    const missing = join(folder, 'missing.yaml');
    const error = await readSettingsFile(missing, SCHEMA).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SettingsError);
    expect(error).toMatchObject({ file: missing, problems: [{ path: '' }], cause: { code: 'ENOENT' } });
    await expect(readSettingsFile(missing, SCHEMA)).rejects.toThrow(`${missing}: cannot be read: ENOENT`);
    await expect(readSettingsFile(folder, SCHEMA)).rejects.toThrow('cannot be read: EISDIR');
    await expect(readSettingsFile(write('large.yaml', '#'.repeat(MOST_BYTES + 1)), SCHEMA)).rejects.toThrow(
      'is larger than 1 MB',
    );
    await expect(readSettingsFile(write('latin.yaml', Uint8Array.of(0xe4)), SCHEMA)).rejects.toThrow(
      'is no text in UTF-8',
    );
    await expect(readSettingsFile(write('whole.yaml', '#'.repeat(MOST_BYTES)), SCHEMA)).rejects.toThrow(
      'must be a mapping',
    );
  });
});
