import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../client/until.js';
import { EchoBackend } from '../echo-backend.js';
import { GatewayProcess } from '../gateway-process.js';
import { askAdmin, MARKER } from './ask-admin.js';
import { EventReader } from './event-reader.js';

let backend: EchoBackend;
const running: GatewayProcess[] = [];

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterEach(async () => {
  backend.handler = undefined;
  for (const gateway of running.splice(0)) await gateway.stop();
});
afterAll(() => backend.stop());

async function start(more = ''): Promise<{ gateway: GatewayProcess; port: number }> {
  const gateway = await GatewayProcess.start(settingsWith(more));
  running.push(gateway);
  return { gateway, port: Number(/admin listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(gateway.stderr)?.[1]) };
}

const settingsWith = (more: string) =>
  `listen: 127.0.0.1:0\nroutes:\n  - to: ${backend.url}\nadmin: { address: "127.0.0.1:0" }\nlog: { level: "off" }\n${more}`;

const post = (port: number, path: string) => askAdmin(port, path, { method: 'POST', headers: MARKER });

describe('the admin port of plimsoll gateway', () => {
  it('drains the process, and is there until it ends', async () => {
    const { gateway, port } = await start('drain: { spread: 1s, timeout: 20s }');
    expect((await askAdmin(port, '/readyz')).text).toBe('ready\n');
    let isAsked = false;
    backend.handler = (_, res) => {
      isAsked = true;
      setTimeout(() => res.end('late'), 1_500);
    };
    const late = fetch(gateway.url());
    await until('a request under way', () => isAsked);
    const reader = await EventReader.open(port);
    const drained = await post(port, '/drain');
    expect(drained.status).toBe(202);
    expect(drained.json()).toEqual({ isReady: false, reason: 'draining' });
    expect(await askAdmin(port, '/readyz')).toMatchObject({ status: 503, text: 'draining\n' });
    expect(await askAdmin(port, '/healthz')).toMatchObject({ status: 200 });
    expect((await askAdmin(port, '/snapshot')).json()).toMatchObject({ state: 'draining' });
    await reader.hears('drain');
    expect(await (await late).text()).toBe('late');
    expect(await gateway.exited).toBe(0);
    await until('the end of events', () => reader.isOver);
  });

  it('reloads, and says what is wrong', async () => {
    const { gateway, port } = await start();
    expect((await post(port, '/reload')).json()).toEqual({ reloaded: true });
    gateway.write(settingsWith('routs: []'));
    const wrong = await post(port, '/reload');
    expect(wrong.status).toBe(422);
    expect(wrong.json()['detail']).toMatch(/plimsoll\.yaml:\d+:1: routs: is not known.*holds on$/);
    gateway.write(settingsWith('trustedProxies: 1'));
    expect((await post(port, '/reload')).status).toBe(200);
    expect((await askAdmin(port, '/config')).text).toContain('trustedProxies: 1');
    expect((await askAdmin(port, '/snapshot')).json()).toMatchObject({ failedReloads: 1 });
  });

  it('is lame duck and serves on', async () => {
    const { gateway, port } = await start();
    expect((await post(port, '/lame-duck')).json()).toEqual({ isReady: false, reason: 'lame-duck' });
    expect(await askAdmin(port, '/readyz')).toMatchObject({ status: 503, text: 'lame-duck\n' });
    expect((await fetch(gateway.url())).status).toBe(200);
  });

  it('says in a line where it cannot listen', async () => {
    const { port } = await start();
    const taken = await GatewayProcess.start(
      settingsWith('').replace('127.0.0.1:0" }', `127.0.0.1:${port}" }`),
    );
    running.push(taken);
    expect(await taken.exited).toBe(2);
    expect(taken.stderr).toBe(
      `plimsoll: cannot listen on 127.0.0.1:${port}: another program listens there\n`,
    );
    const open = await GatewayProcess.start(settingsWith('').replace('127.0.0.1:0" }', '0.0.0.0:0" }'));
    running.push(open);
    expect(await open.exited).toBe(2);
    expect(open.stderr).toMatch(/^plimsoll: .*admin: needs a token where others can reach it.*\n$/);
  });

  it('answers at most 250 ms later while the gateway is flooded', async () => {
    const { gateway, port } = await start();
    const idle = await start();
    const flood = fork(join(import.meta.dirname, 'processes/flood.mjs'), [String(gateway.port), '100'], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    try {
      await once(flood.stdout!, 'data');
      const flooded: number[] = [];
      const undisturbed: number[] = [];
      for (let i = 0; i < 50; i++) {
        flooded.push(await timeOf(port));
        undisturbed.push(await timeOf(idle.port));
      }
      expect((await askAdmin(port, '/metrics')).status).toBe(200);
      const { guard } = (await askAdmin(port, '/snapshot')).json() as {
        guard: { counts: Record<string, Record<string, number>> };
      };
      const { ended, refused } = guard.counts['CRITICAL']!;
      expect(ended! + refused!).toBeGreaterThan(500);
      // Nine of ten, beyond what a gateway takes at the same time that has nothing to do: that is for the machine.
      expect(mostOf(flooded) - mostOf(undisturbed)).toBeLessThan(250);
    } finally {
      flood.disconnect();
      await once(flood, 'exit');
    }
  });
});

async function timeOf(port: number): Promise<number> {
  const begun = performance.now();
  for (const path of ['/healthz', '/readyz']) expect((await askAdmin(port, path)).status).toBe(200);
  return (performance.now() - begun) / 2;
}

function mostOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.9)]!;
}
