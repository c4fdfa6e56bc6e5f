import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EchoBackend } from './echo-backend.js';
import { GatewayProcess } from './gateway-process.js';

let backends: EchoBackend[];
let gateway: GatewayProcess;

beforeAll(async () => {
  backends = [await EchoBackend.start('one'), await EchoBackend.start('two')];
});
afterEach(() => gateway.stop());
afterAll(() => Promise.all(backends.map((backend) => backend.stop())));

/** The service `moving` is another one with each version, `staying` is not. */
function settings(version: number): string {
  return `
listen: 127.0.0.1:0
overload: { mode: dry-run } # the machine may be busy, and this is not about that
services:
  staying: { backends: ["${backends[0]!.url}"] }
  moving: { backends: ["${backends[version % 2]!.url}"], activeLimit: ${100 + version} }
limits:
  plenty: { rate: 1000000/min, burst: ${1_000_000 + version}, algorithm: token-bucket }
routes:
  - { path: /staying, to: staying }
  - { path: /v${version}, to: staying }
  - { path: /*, to: moving, limits: [plenty] }
`;
}

/** Asks all the time, until it is told to stop. */
function asking(path: string, answers: Map<string, number>, isOver: () => boolean): Promise<void> {
  const ask = async () => {
    const answer = await fetch(gateway.url(path)).catch((error: Error) => ({
      status: String(error.cause ?? error),
      text: async () => '',
    }));
    await answer.text();
    const key = `${path} ${answer.status}`;
    answers.set(key, (answers.get(key) ?? 0) + 1);
  };
  return (async () => {
    while (!isOver()) await ask();
  })();
}

describe('new settings', () => {
  it('drop no request, under load, twenty times', async () => {
    gateway = await GatewayProcess.start(settings(0));
    const answers = new Map<string, number>();
    let isOver = false;
    const askers = ['/staying', '/moving', '/moving'].map((path) => asking(path, answers, () => isOver));
    for (let version = 1; version <= 20; version++) {
      await gateway.reload(settings(version));
      expect((await fetch(gateway.url(`/v${version}`))).status).toBe(200);
    }
    isOver = true;
    await Promise.all(askers);
    expect([...answers.keys()].sort()).toEqual(['/moving 200', '/staying 200']);
    expect(answers.get('/moving 200')).toBeGreaterThan(100);
    const { name } = (await (await fetch(gateway.url('/moving'))).json()) as { name: string };
    expect(name).toBe('one');
  });

  it('that are wrong change nothing, and it is said why', async () => {
    gateway = await GatewayProcess.start(settings(0));
    await gateway.reload(settings(1).replace('activeLimit', 'activLimit'));
    expect(gateway.stderr).toContain('services.moving.activLimit: is not known, did you mean activeLimit?');
    await gateway.reload(settings(1).replace('listen: 127.0.0.1:0', 'listen: 127.0.0.1:1'));
    expect(gateway.stderr).toMatch(/plimsoll\.yaml:2:9: listen: changed, and this takes a restart: restart/);
    await gateway.reload(`${settings(1)}identity: { apiKeys: { file: keys.yaml } }\n`);
    expect(gateway.stderr).toMatch(
      /plimsoll\.yaml:13:30: identity\.apiKeys\.file: keys\.yaml: cannot be read: ENOENT/,
    );
    await gateway.reload('');
    const answer = (await (await fetch(gateway.url('/v0'))).json()) as { name: string };
    expect(answer.name).toBe('one');
    await gateway.reload(settings(1));
    expect((await fetch(gateway.url('/v1'))).status).toBe(200);
    expect(gateway.child.exitCode).toBe(null);
  });

  it('that are set back after they were wrong are said to hold again', async () => {
    gateway = await GatewayProcess.start(settings(0));
    await gateway.reload('');
    expect(gateway.stderr).toMatch(/what held before holds on\n$/);
    await gateway.reload(settings(0));
    expect(gateway.stderr).toMatch(/plimsoll\.yaml holds: .*\n$/);
  });

  it('name files that may go and come back, and each is said', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plimsoll-reload-'));
    const keys = join(folder, 'keys.yaml');
    writeFileSync(keys, '{}');
    const text = `${settings(0)}identity: { apiKeys: { file: ${keys} } }\n`;
    gateway = await GatewayProcess.start(text);
    rmSync(keys);
    await gateway.reload(text);
    expect(gateway.stderr).toMatch(/keys\.yaml: cannot be read: ENOENT.*\nwhat held before holds on\n$/);
    writeFileSync(keys, '{}');
    await gateway.reload(text);
    expect(gateway.stderr).toMatch(/plimsoll\.yaml holds: .*\n$/);
    rmSync(folder, { recursive: true });
  });
});
