import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackage } from './install-package.js';

/** The package as a user gets it, where nobody has installed ECharts. */
let project: string;
const packageFile = (...path: string[]) => join(project, 'node_modules', 'plimsoll', ...path);

beforeAll(() => {
  project = installPackage();
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

const plimsoll = (...args: string[]) =>
  spawnSync(process.execPath, [packageFile('dist/cli/main.js'), ...args], { cwd: project, encoding: 'utf8' });

describe('figures of the installed package', () => {
  it('are drawn where ECharts is not installed', () => {
    expect(existsSync(join(project, 'node_modules', 'echarts'))).toBe(false);
    const { status, stdout, stderr } = plimsoll('simulate', 'subsetting-table', '--json', '--svg', 'out.svg');
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'wrote out.svg\n' });
    expect(JSON.parse(stdout)).toMatchObject({ scenario: 'subsetting-table' });
    const svg = readFileSync(join(project, 'out.svg'), 'utf8');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [\s\S]*<\/svg>\n$/);
    expect(svg).toContain('>rocksteadier</text>');
    expect(svg.match(/<path/g)!.length).toBeGreaterThan(20);
  });

  it('are the same for the same seed', () => {
    plimsoll('simulate', 'subsetting-table', '--svg', 'again.svg');
    const [first, again] = ['out.svg', 'again.svg'].map((name) => readFileSync(join(project, name), 'utf8'));
    expect(again).toBe(first);
  });

  it('come with the licences of what draws them', () => {
    const licences = packageFile('dist/cli/figures/third-party');
    const text = (path: string) => readFileSync(join(licences, path), 'utf8');
    expect(text('echarts/LICENSE')).toContain('Apache License');
    expect(text('echarts/NOTICE')).toContain('The Apache Software Foundation');
    expect(text('echarts/LICENSE-d3')).toContain('Mike Bostock');
    expect(text('zrender/LICENSE')).toContain('Redistribution and use');
    expect(text('tslib/LICENSE.txt')).toContain('Microsoft Corporation');
    const notices = readFileSync(packageFile('THIRD-PARTY-NOTICES.md'), 'utf8');
    for (const name of readdirSync(licences)) expect(notices).toContain(name);
  });
});

describe('the installed package', () => {
  const files = () =>
    readdirSync(packageFile('dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(js|ts)$/.test(name),
    );

  it('imports nothing that it does not bring', () => {
    const importing = /(?:from|import)\s*\(?\s*['"](echarts|zrender|tslib)/;
    const strays = files().filter((name) => importing.test(readFileSync(packageFile('dist', name), 'utf8')));
    expect(strays).toEqual([]);
  });

  it('has types for what is imported, not for its program', () => {
    const typed = files().filter((name) => name.endsWith('.d.ts'));
    expect(typed.filter((name) => name.startsWith(join('cli', '/')))).toEqual([]);
    expect(typed).toContain(join('simulator', 'index.d.ts'));
  });

  it('stays small', () => {
    const { size } = statSync(packageFile('dist/cli/figures/echarts.js'));
    // The lines and bars of ECharts have about 530 kB; all of it would have 1,100.
    expect(size).toBeLessThan(600_000);
  });
});
