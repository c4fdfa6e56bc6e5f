import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { GROUPED_BARS } from '../simulations/figures/samples.contract.js';
import { checkWritable, writeFigures } from './figure-file.js';
import { UsageError } from './usage-error.js';

describe('a file of figures', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-figures-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is written', async () => {
    const path = join(folder, 'out.svg');
    checkWritable(path);
    await writeFigures(path, [GROUPED_BARS]);
    expect(readFileSync(path, 'utf8')).toMatch(/^<svg [\s\S]*Requests served[\s\S]*<\/svg>\n$/);
  });

  it('may be there already', () => {
    const path = join(folder, 'old.svg');
    writeFileSync(path, 'old');
    checkWritable(path);
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  it('that cannot be written is refused, before or after', async () => {
    const nowhere = join(folder, 'missing', 'out.svg');
    expect(() => checkWritable(nowhere)).toThrow(UsageError);
    expect(() => checkWritable(nowhere)).toThrow(`${nowhere} cannot be written: ENOENT`);
    mkdirSync(join(folder, 'taken.svg'));
    expect(() => checkWritable(join(folder, 'taken.svg'))).toThrow(
      'taken.svg cannot be written: it is a folder',
    );
    await expect(writeFigures(nowhere, [GROUPED_BARS])).rejects.toThrow(UsageError);
  });
});
