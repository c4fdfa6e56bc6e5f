import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../tidy/sources.js';
import { until } from '../client/until.js';
import { EchoBackend } from './echo-backend.js';
import { GatewayProcess } from './gateway-process.js';

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-start-'));
let backend: EchoBackend;
const running: GatewayProcess[] = [];

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await backend.stop();
});

async function start(settings: string): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(settings);
  running.push(gateway);
  return gateway;
}

function plimsoll(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('plimsoll gateway', () => {
  it('alone has no workers that SIGUSR2 could replace, and goes on', async () => {
    const gateway = await start(`listen: 127.0.0.1:0\nroutes:\n  - to: ${backend.url}\n`);
    gateway.child.kill('SIGUSR2');
    await until('it to be told', () => gateway.stderr.includes('there are no workers to replace'));
    expect((await fetch(gateway.url(), { headers: { connection: 'close' } })).status).toBe(200);
  });

  it('runs with three lines, and drains on SIGTERM', async () => {
    const gateway = await start(`listen: 127.0.0.1:0\nroutes:\n  - to: ${backend.url}\n`);
    const answer = await fetch(gateway.url('/a?b=c'), { headers: { connection: 'close' } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ url: '/a?b=c', method: 'GET' });
    expect(gateway.stderr).toMatch(/listens on http:\/\/127\.0\.0\.1:\d+\n.*holds: .*1 route to 1 service\n/);
    backend.handler = (_, res) => setTimeout(() => res.end('late'), 300);
    const late = fetch(gateway.url());
    await new Promise((resolve) => setTimeout(resolve, 100));
    gateway.child.kill('SIGTERM');
    expect(await (await late).text()).toBe('late');
    backend.handler = undefined;
    expect(await gateway.exited).toBe(0);
  });

  it('says in a line why it cannot start', async () => {
    const first = await start(`listen: 127.0.0.1:0\nroutes:\n  - to: ${backend.url}\n`);
    const second = await start(`listen: 127.0.0.1:${first.port}\nroutes:\n  - to: ${backend.url}\n`);
    expect(await second.exited).toBe(2);
    expect(second.stderr).toBe(
      `plimsoll: cannot listen on 127.0.0.1:${first.port}: another program listens there\n`,
    );
    expect(plimsoll('gateway', 'missing.yaml')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('plimsoll: missing.yaml: cannot be read: ENOENT'),
    });
    writeFileSync(join(folder, 'bad.yaml'), 'listen: 8080\nroutes:\n  - too: http://127.0.0.1\n');
    expect(plimsoll('gateway', 'bad.yaml')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('bad.yaml:3:5: routes[0].too: is not known, did you mean to?'),
    });
    const tls = '{ address: 127.0.0.1:0, tls: { cert: none.pem, key: none.pem } }';
    writeFileSync(join(folder, 'tls.yaml'), `listen: ${tls}\nroutes:\n  - to: ${backend.url}\n`);
    for (const args of [['tls.yaml'], ['tls.yaml', '--check'], ['tls.yaml', '--workers', '2']]) {
      const { status, stderr } = plimsoll('gateway', ...args);
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(
          /^plimsoll: tls\.yaml:1:46: listen\[0\]\.tls\.cert: none\.pem: cannot be read: ENOENT.*: write where it is, .*\n$/,
        ),
      ]);
    }
  });

  it('checks, prints and describes files without running', () => {
    writeFileSync(join(folder, 'good.yaml'), 'listen: 8080\nroutes:\n  - to: http://127.0.0.1:3000\n');
    expect(plimsoll('gateway', 'good.yaml', '--check')).toMatchObject({
      status: 0,
      stdout: 'good.yaml: a gateway file that is right: listens on 8080, 1 route to 1 service\n',
    });
    const printed = plimsoll('gateway', 'good.yaml', '--print-config');
    expect(printed.stdout).toContain('maxBody: 10MB');
    expect(plimsoll('check', 'good.yaml')).toMatchObject({ status: 0 });
    const schema = JSON.parse(plimsoll('schema', 'gateway').stdout);
    expect(Object.keys(schema.properties)).toContain('routes');
    expect(schema.required).toEqual(['listen', 'routes']);
  });

  it('looks at files of backends when it is asked to check', () => {
    const settings = (name: string) =>
      `listen: 8080\nservices: { a: { backends: { file: ${name} } } }\nroutes:\n  - to: a\n`;
    for (const [name, text, problem] of [
      [
        'nope.json',
        undefined,
        /a\.yaml:2:36: services\.a\.backends\.file: nope\.json: cannot be read: ENOENT/,
      ],
      ['garbage.json', '[', /a\.yaml:2:36: services\.a\.backends\.file: garbage\.json: line 1: /],
      [
        'wrong.json',
        '["http://10.0.0.1", "ftp://x"]',
        /a\.yaml:2:36: services\.a\.backends\.file: wrong\.json: url must be an http or https origin/,
      ],
    ] as const) {
      if (text !== undefined) writeFileSync(join(folder, name), text);
      writeFileSync(join(folder, 'a.yaml'), settings(name));
      const { status, stderr } = plimsoll('gateway', 'a.yaml', '--check');
      expect([status, stderr]).toEqual([2, expect.stringMatching(problem)]);
    }
    writeFileSync(join(folder, 'right.json'), '["http://10.0.0.1"]');
    writeFileSync(join(folder, 'a.yaml'), settings('right.json'));
    expect(plimsoll('gateway', 'a.yaml', '--check').status).toBe(0);
  });

  it('has an example that is right', () => {
    const example = join(root, 'examples/gateway/plimsoll.yaml');
    const { status, stdout } = plimsoll('check', example);
    expect(stdout).toContain('a gateway file that is right');
    expect(status).toBe(0);
  });
});
