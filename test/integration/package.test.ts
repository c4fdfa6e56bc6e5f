import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inJavaScript, runnableBlocks } from '../tidy/runnable-blocks.js';
import { root, subpaths } from '../tidy/sources.js';
import { installPackage, npm } from './install-package.js';

/** The package as a user gets it: packed, installed elsewhere, imported by name. */
let project: string;

const node = (args: string[]) => execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' });
const evaluate = (program: string) => node(['--input-type=module', '-e', program]).trim();

const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const { dependencies, peerDependencies } = JSON.parse(textOf('package.json')) as {
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

beforeAll(() => {
  project = installPackage();
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the package', () => {
  it('is there without its optional peers', () => {
    expect(Object.keys(peerDependencies).length).toBeGreaterThan(0);
    for (const name of Object.keys(peerDependencies)) {
      expect(existsSync(join(project, 'node_modules', name)), name).toBe(false);
    }
  });

  it.each(subpaths)('exports plimsoll/%s', (subpath) => {
    const program = `import * as all from 'plimsoll/${subpath}'; console.log(Object.keys(all).length)`;
    expect(Number(evaluate(program))).toBeGreaterThan(0);
  });

  it.each([
    [
      'ioredis',
      "import { redisStore } from 'plimsoll/rate-limit'; await redisStore({ url: 'redis://127.0.0.1:1' })",
    ],
    [
      'ioredis',
      "import { createQuota } from 'plimsoll/quota'; await createQuota({ service: 'a', redis: { url: 'redis://127.0.0.1:1' }, limits: { everyoneElse: { perSecond: 1 } } })",
    ],
    [
      'bullmq ioredis',
      "import { createOverflowQueue } from 'plimsoll/rate-limit'; await createOverflowQueue({ url: 'redis://127.0.0.1:1' })",
    ],
    [
      'jose',
      "import { createRateLimits } from 'plimsoll/rate-limit';" +
        "const limits = createRateLimits({ jwt: { secret: 'x'.repeat(32) }, onError: (error) => { throw error }," +
        "rules: [{ name: 'a', key: 'jwt:sub', algorithm: 'gcra', rate: '1/s' }] });" +
        "await limits.decide({ method: 'GET', url: '/', address: '::1', header: () => 'Bearer a.b.c' })",
    ],
  ])('says what to install where %s is missing', (names, program) => {
    const caught = `try { ${program.replace(/^import [^;]+;/, '')} } catch (error) { console.log(error.message) }`;
    const printed = evaluate(`${/^import [^;]+;/.exec(program)![0]} ${caught}`);
    expect(printed).toContain(`npm install ${names}`);
  });

  // Node 20.19 and 22.12, below which the package does not install, brought require() of ES modules.
  it.each(subpaths)('lets CommonJS require plimsoll/%s, with no word of it', (subpath) => {
    const program =
      `process.on('warning', ({ message }) => console.log(message)); const all = require('plimsoll/${subpath}');` +
      'setImmediate(() => console.log(Object.keys(all).length))';
    const printed = node(['--input-type=commonjs', '-e', program]).trim();
    expect(printed).toMatch(/^[1-9]\d*$/);
  });

  it('does not let in by other ways', () => {
    const program = `import('plimsoll/dist/core/check.js').catch((error) => console.log(error.code))`;
    expect(evaluate(program)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('brings its program', () => {
    const program = join(project, 'node_modules', '.bin', 'plimsoll');
    const printed = execFileSync(program, ['simulate', '--list'], { encoding: 'utf8' });
    expect(printed).toContain('subsetting-table');
  });

  const blocks = runnableBlocks({ path: 'README.md', text: textOf('README.md') });

  it.each(blocks.map((block) => [block.name, block] as const))(
    'does what %s says',
    (name, { code, output }) => {
      const file = join(project, `${name.replaceAll(/[^\w]/g, '-')}.mjs`);
      writeFileSync(file, inJavaScript(code));
      const printed = execFileSync(process.execPath, [file], {
        cwd: project,
        encoding: 'utf8',
        timeout: 30_000,
      });
      if (output !== undefined) expect(printed.trim()).toBe(output.trim());
    },
  );
});

describe('what is packed', () => {
  let packed: Packed;
  beforeAll(() => {
    [packed] = JSON.parse(npm(root, 'pack', '--json', '--dry-run')) as [Packed];
  });

  it('has neither tests nor the leftovers of a build', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toContain('LICENSE');
    expect(
      paths.filter(
        (path) => /test|contract|tsbuildinfo|plimsoll-built/.test(path) && !path.startsWith('dist/testing/'),
      ),
    ).toEqual([]);
  });

  /** What the page says, in bytes: `| packed | 0.78 MB |`. */
  const saidOf = (what: string) => {
    const row = new RegExp(`^\\| ${what} \\| (?:about )?([\\d.]+) MB`, 'm').exec(textOf('docs/package.md'));
    return Number(row?.[1]) * 1e6;
  };

  it.each([
    ['packed', 'size'],
    ['unpacked', 'unpackedSize'],
  ] as const)('is %s as large as docs/package.md says', (what, field) => {
    // A tenth more, and somebody should look at what has come into it.
    expect(packed[field]).toBeLessThan(saidOf(what) * 1.1);
    expect(packed[field]).toBeGreaterThan(saidOf(what) * 0.8);
  });

  it('depends on as many packages as docs/package.md says', () => {
    const { packages } = JSON.parse(textOf('package-lock.json')) as {
      packages: Record<
        string,
        { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }
      >;
    };
    const all = new Set<string>();
    const visit = (name: string) => {
      if (all.has(name)) return;
      all.add(name);
      const { dependencies: next, optionalDependencies: further } = packages[`node_modules/${name}`]!;
      Object.keys({ ...next, ...further }).forEach(visit);
    };
    Object.keys(dependencies).forEach(visit);
    const page = textOf('docs/package.md');
    expect(page).toContain(`| direct dependencies | ${Object.keys(dependencies).length}: `);
    expect(page).toContain(`| all dependencies, theirs included | ${all.size} |`);
    for (const name of Object.keys(dependencies)) expect(page).toContain(`\`${name}\``);
  });
});
