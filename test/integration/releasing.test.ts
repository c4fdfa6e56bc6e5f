import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../tidy/sources.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-releasing-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A script of the project's, run in another folder. */
function run(script: string, ...args: string[]) {
  const options = { cwd: folder, encoding: 'utf8' } as const;
  return spawnSync(process.execPath, [join(root, 'scripts', script), ...args], options);
}

describe('npm run changelog', () => {
  // Nobody's settings: neither a hook nor a signature of whoever runs this.
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_AUTHOR_NAME: 'test',
    GIT_AUTHOR_EMAIL: 'test@localhost',
    GIT_COMMITTER_NAME: 'test',
    GIT_COMMITTER_EMAIL: 'test@localhost',
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
  const commit = (message: string) => git('commit', '--quiet', '--allow-empty', '-m', message);
  /** Without the ids, which are others each time. */
  const textOf = (printed: string) => printed.replaceAll(/ \([0-9a-f]{7,}\)/g, '');

  beforeEach(() => {
    git('init', '--quiet', '--initial-branch', 'main');
    commit('ground: begin');
    commit('client: balance');
  });

  it('has all commits by concept before the first tag, without what users do not see', () => {
    commit('client: keep connections');
    commit('core, client: one word for one thing');
    commit('docs, tests: say how');
    commit('bench quota: more backends');
    const { stdout, stderr, status } = run('changelog.mjs');
    expect(textOf(stdout)).toBe(
      '## Unreleased\n\n### client\n- balance\n- keep connections\n\n### core, client\n- one word for one thing\n\n',
    );
    expect(stderr).toContain('3 of 6 commits since the beginning.');
    expect(stderr).toContain('1 bench quota, 1 docs, tests, 1 ground');
    expect(status).toBe(0);
  });

  it('begins after the last tag of a version, and follows merged branches', () => {
    git('tag', 'v0.1.0');
    git('checkout', '--quiet', '-b', 'side');
    commit('quota: divide');
    git('checkout', '--quiet', 'main');
    commit('server: refuse');
    git('tag', 'not-a-version');
    git('merge', '--quiet', '--no-ff', '-m', "Merge branch 'side'", 'side');
    const { stdout, stderr } = run('changelog.mjs', '--version', '0.2.0');
    expect(textOf(stdout)).toMatch(
      /^## 0\.2\.0 – \d{4}-\d\d-\d\d\n\n### quota\n- divide\n\n### server\n- refuse\n\n$/,
    );
    expect(stderr).toContain('2 of 2 commits since v0.1.0.');
  });

  it('says first what breaks, whatever its concept is', () => {
    git('tag', 'v0.1.0');
    commit(
      'wire: another header\n\nWhy it is right.\n\nBreaking: x-old is now x-new;\nboth are read until 0.3.\n\nMore words.',
    );
    commit('docs: say so\n\nBreaking: an option that was only documented is gone.');
    const { stdout } = run('changelog.mjs');
    expect(textOf(stdout)).toContain(
      '### Breaking\n- wire: x-old is now x-new; both are read until 0.3.\n' +
        '- docs: an option that was only documented is gone.\n\n',
    );
  });

  it('keeps subjects without a concept, and shows all when told to', () => {
    commit('Fix what nobody has named');
    expect(textOf(run('changelog.mjs').stdout)).toContain('### other\n- Fix what nobody has named\n');
    expect(textOf(run('changelog.mjs', '--all', '--since', 'HEAD~2').stdout)).not.toContain('begin');
    expect(textOf(run('changelog.mjs', '--all').stdout)).toContain('### ground\n- begin\n');
  });

  it('fails outside of a repository', () => {
    rmSync(join(folder, '.git'), { recursive: true });
    expect(run('changelog.mjs').status).not.toBe(0);
  });
});

describe('the check of a release', () => {
  const repository = { url: 'git+https://example.com/plimsoll.git' };
  const prepare = (manifest: object, changelog: string) => {
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ version: '0.2.0', repository, ...manifest }),
    );
    writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
  };
  const section =
    '# Changelog\n\n## 0.2.0 – 2027-01-31\n\n- all of it\n\n## 0.1.0 – 2026-12-31\n\n- a part\n';

  it('passes what is complete', () => {
    prepare({}, section);
    const { status, stderr } = run('release-check.mjs', 'v0.2.0');
    expect(stderr).toBe('release: v0.2.0 may be published\n');
    expect(status).toBe(0);
  });

  it.each([
    ['another tag', {}, section, 'v0.2.1', 'the tag is "v0.2.1", the version in package.json "0.2.0"'],
    ['no tag', {}, section, '', 'the tag is ""'],
    [
      'no section',
      {},
      section.replace('0.2.0', '0.20.0'),
      'v0.2.0',
      'CHANGELOG.md has no section "## 0.2.0 – <date>"',
    ],
    ['an empty section', {}, section.replace('- all of it', ''), 'v0.2.0', 'the section of 0.2.0 is empty'],
    ['a private package', { private: true }, section, 'v0.2.0', 'says that it is private'],
    ['no home', { repository: undefined }, section, 'v0.2.0', 'has no repository.url'],
  ])('refuses %s', (_, manifest, changelog, tag, problem) => {
    prepare(manifest, changelog);
    const { status, stderr } = run('release-check.mjs', tag);
    expect(stderr).toContain(problem);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(status).toBe(1);
  });
});
