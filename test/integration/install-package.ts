import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../tidy/sources.js';

/**
 * A new project with the package as a user gets it: packed, and installed by npm. What it depends on is taken from
 * here, so that nothing is asked of a registry; without scripts, since in a folder npm would build those anew.
 */
export function installPackage(): string {
  const project = mkdtempSync(join(tmpdir(), 'plimsoll-installed-'));
  const [{ filename }] = JSON.parse(npm(root, 'pack', '--json', '--pack-destination', project)) as [
    { filename: string },
  ];
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const ours = Object.keys(dependencies).map((name) => [name, `file:${join(root, 'node_modules', name)}`]);
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies: { ...Object.fromEntries(ours), plimsoll: `file:${filename}` },
    }),
  );
  npm(project, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund');
  return project;
}

export function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
