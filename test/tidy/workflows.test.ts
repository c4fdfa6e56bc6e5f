import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { filesBelow, root } from './sources.js';

interface Job {
  readonly uses?: string;
  readonly needs?: string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Record<string, string>;
  readonly strategy?: { readonly matrix: { readonly node: readonly number[] } };
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
}

interface Workflow {
  readonly on: Record<string, unknown>;
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, Job>;
}

const files = filesBelow('.github/workflows', /\.yml$/);
const workflow = (name: string) =>
  parse(files.find(({ path }) => path.endsWith(`/${name}.yml`))!.text) as Workflow;
const jobs = files.flatMap(({ path, text }) =>
  Object.entries((parse(text) as Workflow).jobs).map(([name, job]) => [`${path} ${name}`, job] as const),
);

/** The versions that `npm run test:nodes` runs. */
function testedNodes(): number[] {
  const text = readFileSync(join(root, 'scripts/node-versions.mjs'), 'utf8');
  return JSON.parse(/^const MAJORS = (\[.*\]);$/m.exec(text)![1]!) as number[];
}

describe('workflows', () => {
  it('run the tests on every version of Node that is supported', () => {
    expect(workflow('ci').jobs['test']!.strategy!.matrix.node).toEqual(testedNodes());
  });

  it.each(jobs)('%s uses actions by their major version, and has an end', (_, job) => {
    for (const { uses } of job.steps ?? []) {
      if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@v\d+$/);
    }
    if (job.uses === undefined) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });

  it.each(files.map(({ path }) => [path.replace(/.*\/|\.yml/g, '')]))(
    '%s may write nothing by default',
    (name) => {
      expect(workflow(name).permissions).toEqual({ contents: 'read' });
    },
  );

  it('publish by a tag, after the tests, with provenance, and no secret', () => {
    const { on, jobs: all } = workflow('release');
    expect(Object.keys(on)).toEqual(['push']);
    expect(on['push']).toHaveProperty('tags');
    expect(all['test']!.uses).toBe('./.github/workflows/ci.yml');
    const publish = all['publish']!;
    expect(publish.needs).toBe('test');
    expect(publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    const commands = publish.steps!.map(({ run }) => run ?? '').join('\n');
    expect(commands.indexOf('release-check.mjs')).toBeGreaterThan(-1);
    expect(commands.indexOf('release-check.mjs')).toBeLessThan(commands.indexOf('npm publish --provenance'));
    expect(files.map(({ text }) => text).join('')).not.toContain('secrets.');
  });

  it('run only steps of `npm test` that there are', () => {
    const steps = readFileSync(join(root, 'scripts/test.mjs'), 'utf8');
    const named = files.flatMap(({ text }) =>
      Array.from(text.matchAll(/npm test -- "([^"]+)"/g), (match) => match[1]!),
    );
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(steps).toContain(`'${name}':`);
  });
});
