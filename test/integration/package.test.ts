import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, subpaths } from '../tidy/sources.js';
import { installPackage, npm } from './install-package.js';

/** The package as a user gets it: packed, installed elsewhere, imported by name. */
let project: string;

const node = (args: string[]) => execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' });

beforeAll(() => {
  project = installPackage();
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the package', () => {
  it.each(subpaths)('exports plimsoll/%s', (subpath) => {
    const program = `import * as all from 'plimsoll/${subpath}'; console.log(Object.keys(all).length)`;
    expect(Number(node(['--input-type=module', '-e', program]))).toBeGreaterThan(0);
  });

  it('can be required where Node allows it', () => {
    const [major] = process.versions.node.split('.');
    // Node 20.19 and 22.12 brought require() of ES modules.
    const program = `console.log(typeof require('plimsoll/core').createPicker)`;
    expect(Number(major)).toBeGreaterThanOrEqual(20);
    expect(node(['--input-type=commonjs', '-e', program]).trim()).toBe('function');
  });

  it('does not let in by other ways', () => {
    const program = `import('plimsoll/dist/core/check.js').catch((error) => console.log(error.code))`;
    expect(node(['--input-type=module', '-e', program]).trim()).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('brings its program', () => {
    const program = join(project, 'node_modules', '.bin', 'plimsoll');
    const printed = execFileSync(program, ['simulate', '--list'], { encoding: 'utf8' });
    expect(printed).toContain('subsetting-table');
  });

  it('ships neither tests nor the leftovers of a build', () => {
    const [{ files }] = JSON.parse(npm(root, 'pack', '--json', '--dry-run')) as [
      { files: { path: string }[] },
    ];
    const paths = files.map(({ path }) => path);
    expect(paths).toContain('LICENSE');
    expect(
      paths.filter(
        (path) => /test|contract|tsbuildinfo|plimsoll-built/.test(path) && !path.startsWith('dist/testing/'),
      ),
    ).toEqual([]);
  });
});
