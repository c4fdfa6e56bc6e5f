import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../client/until.js';
import { GatewayProcess } from '../gateway-process.js';
import { eventually, isAlive, tally, WorkersBed } from './workers-bed.js';

let bed: WorkersBed;

afterEach(() => bed.stop());

const PLAIN = 'drain: { spread: 200ms, timeout: 5s }\nroutes: [{ to: "BACKEND" }]\n';

/** Asks all the time, half of it on connections that are kept; returns how to stop, and what came. */
function asking(askers = 8): () => Promise<Record<string, number>> {
  let isOver = false;
  const all: (number | string)[] = [];
  const loops = Array.from({ length: askers }, async (_, i) => {
    while (!isOver) {
      if (i % 2 === 0) all.push(await bed.ask());
      else {
        const answer = await fetch(bed.gateway.url()).catch((error: Error) => ({
          status: String(error.cause ?? error),
          headers: new Headers(),
          text: async () => '',
        }));
        await answer.text();
        // Whoever is replaced says nothing that would have load balancers leave the gateway.
        all.push(answer.headers.has('x-envoy-immediate-health-check-fail') ? 'lame duck' : answer.status);
      }
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(loops);
    return tally(all);
  };
}

describe('a worker that is killed under load', () => {
  it('is replaced, and takes with it what it had at hand and nothing else', async () => {
    bed = await WorkersBed.start(PLAIN);
    const before = await bed.pids();
    const stop = asking();
    process.kill(before[0]!, 'SIGKILL');
    await eventually('another worker', async () => {
      const now = await bed.pids();
      return now.length === 2 && !now.includes(before[0]!);
    });
    const counts = await stop();
    const { 200: served = 0, ...failed } = counts;
    expect(served).toBeGreaterThan(50);
    // One at a time of each asker, and a connection or two that were on their way.
    expect(Object.values(failed).reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(10);
    expect(await bed.askOften(50)).toEqual({ 200: 50 });
    expect(bed.gateway.stderr).toContain('worker 1 has ended (SIGKILL); another one starts now');
  });
});

describe('a worker', () => {
  it('has room for what is thrown away, its share of the memory', async () => {
    bed = await WorkersBed.start(PLAIN);
    for (const pid of await bed.pids()) {
      const options = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      expect(options.find((each) => each.startsWith('NODE_OPTIONS='))).toMatch(/--max-semi-space-size=\d+$/);
    }
  });
});

describe('workers that are replaced one by one', () => {
  it('lose no request', async () => {
    bed = await WorkersBed.start(PLAIN);
    const before = await bed.pids();
    const stop = asking();
    bed.gateway.child.kill('SIGUSR2');
    await until('new workers', () => bed.gateway.stderr.includes('all workers are new'), 90_000);
    const counts = await stop();
    expect(Object.keys(counts)).toEqual(['200']);
    const now = await bed.pids();
    expect(now).toHaveLength(2);
    expect(now.filter((pid) => before.includes(pid))).toEqual([]);
    expect(before.filter(isAlive)).toEqual([]);
  });

  it('are as many as get SIGTERM for themselves alone', async () => {
    bed = await WorkersBed.start(PLAIN);
    const before = await bed.pids();
    const stop = asking(4);
    process.kill(before[1]!, 'SIGTERM');
    await until('one to be gone', () => !isAlive(before[1]!), 60_000);
    expect(Object.keys(await stop())).toEqual(['200']);
    const now = await bed.pids();
    expect(now[0]).toBe(before[0]);
    expect(now[1]).not.toBe(before[1]);
  });

  it('are one for one, however often they are asked to leave', async () => {
    bed = await WorkersBed.start(PLAIN);
    const before = await bed.pids();
    for (let i = 0; i < 4; i++) {
      process.kill(before[1]!, 'SIGTERM');
      await sleep(50);
    }
    bed.gateway.child.kill('SIGUSR2');
    await until('the others', () => bed.gateway.stderr.includes('all workers are new'), 90_000);
    await until('the old ones to be gone', () => !before.some(isAlive), 60_000);
    const children = `/proc/${bed.gateway.child.pid}/task/${bed.gateway.child.pid}/children`;
    expect(readFileSync(children, 'utf8').trim().split(' ')).toHaveLength(2);
  });
});

describe('the end', () => {
  it('comes when all requests are done, to all workers at once', async () => {
    bed = await WorkersBed.start(PLAIN);
    const pids = await bed.pids();
    let waiting = 0;
    bed.backend.handler = (_, res) => {
      waiting++;
      setTimeout(() => res.end('late'), 500);
    };
    const late = Promise.all(Array.from({ length: 6 }, () => bed.ask()));
    await until('requests at the backend', () => waiting === 6);
    // As a service manager does it: to all processes.
    for (const pid of [bed.gateway.child.pid!, ...pids]) process.kill(pid, 'SIGTERM');
    expect(tally(await late)).toEqual({ 200: 6 });
    expect(await bed.gateway.exited).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('comes at once with a second signal', async () => {
    bed = await WorkersBed.start(PLAIN);
    const pids = await bed.pids();
    bed.backend.handler = () => {};
    const hanging = bed.ask();
    await eventually('a request', async () => (await bed.snapshot()).total !== undefined);
    bed.gateway.child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 300));
    bed.gateway.child.kill('SIGTERM');
    expect(await bed.gateway.exited).toBe(1);
    await until('workers to be gone', () => !pids.some(isAlive));
    expect(await hanging).not.toBe(200);
  });

  it('comes to workers whose primary is gone', async () => {
    bed = await WorkersBed.start(PLAIN);
    const pids = await bed.pids();
    let waiting = 0;
    bed.backend.handler = (_, res) => {
      waiting++;
      setTimeout(() => res.end('late'), 500);
    };
    const late = bed.ask();
    await until('a request at the backend', () => waiting === 1);
    bed.gateway.child.kill('SIGKILL');
    expect(await late).toBe(200);
    await until('workers to be gone', () => !pids.some(isAlive), 15_000);
  });
});

describe('new settings', () => {
  const version = (path: string) => `${PLAIN.split('\n')[0]}\nroutes: [{ path: ${path}, to: "BACKEND" }]\n`;

  it('reach all workers, and those that come later', async () => {
    bed = await WorkersBed.start(version('/one'));
    await bed.reload(version('/two'));
    expect(await bed.askOften(20, '/two')).toEqual({ 200: 20 });
    expect(await bed.askOften(20, '/one')).toEqual({ 404: 20 });
    const before = await bed.pids();
    // One after the other: a port that was any is another one when all are gone at once.
    for (const pid of before) {
      process.kill(pid, 'SIGKILL');
      await eventually('another worker', async () => {
        const now = await bed.pids();
        return now.length === 2 && !now.includes(pid);
      });
    }
    expect(await bed.askOften(20, '/two')).toEqual({ 200: 20 });
  });

  it('that cannot hold change nothing in any of them', async () => {
    bed = await WorkersBed.start(version('/one'));
    const missing = `${version('/two')}identity: { apiKeys: { file: none.yaml } }\n`;
    await bed.reload(missing);
    expect(bed.gateway.stderr).toMatch(
      /plimsoll\.yaml:\d+:30: identity\.apiKeys\.file: none\.yaml: cannot be read/,
    );
    await bed.reload(version('/two').replace('timeout: 5s', 'timeout: 6s'));
    expect(bed.gateway.stderr).toContain('drain: changed, and this takes a restart');
    expect(await bed.askOften(20, '/one')).toEqual({ 200: 20 });
    await bed.reload(version('/three'));
    expect(await bed.askOften(20, '/three')).toEqual({ 200: 20 });
  });
});

it('says in one line why workers cannot start', async () => {
  bed = await WorkersBed.start(PLAIN);
  const { port } = bed.gateway;
  const second = await GatewayProcess.start(
    `listen: 127.0.0.1:${port}\nworkers: 2\nlog: { level: "off" }\nroutes: [{ to: "${bed.backend.url}" }]\n`,
  );
  expect(await second.exited).toBe(2);
  expect(second.stderr).toBe(`plimsoll: cannot listen on 127.0.0.1:${port}: another program listens there\n`);
  await second.stop();
});
