import { afterEach, describe, expect, it } from 'vitest';
import { eventually, WorkersBed } from './workers-bed.js';

let bed: WorkersBed;

afterEach(() => bed.stop());

const LIMITS = `
limits:
  log: { rate: 100/h, algorithm: sliding-log, key: all }
  bucket: { rate: 100/h, algorithm: token-bucket, key: all }
  counter: { rate: 100/h, key: all }
routes:
  - { path: /log, to: BACKEND, limits: [log] }
  - { path: /bucket, to: BACKEND, limits: [bucket] }
  - { path: /both, to: BACKEND, limits: [counter, bucket] }
`;

describe('limits of two workers without Redis', () => {
  it('are exact for both together, with any algorithm', async () => {
    bed = await WorkersBed.start(LIMITS);
    for (const path of ['/log', '/bucket'])
      expect(await bed.askOften(400, path)).toEqual({ 200: 100, 429: 300 });
    // One of them is used up: nothing is taken from the other.
    expect(await bed.askOften(20, '/both')).toEqual({ 429: 20 });
    const { workers, total, missing } = await bed.snapshot();
    expect(Object.keys(workers)).toEqual(['1', '2']);
    expect(missing).toEqual([]);
    const { '/log': log } = total.routes;
    expect(log ?? Object.values(total.routes)[0]).toMatchObject({ requests: 400, limited: 300 });
    const seen = Object.values(total.routes)[0] as unknown as {
      limits: { log: { busiest: readonly { key: string; hits: number }[] } };
    };
    expect(seen.limits.log.busiest).toHaveLength(1);
    expect(seen.limits.log.busiest[0]).toMatchObject({ key: 'all' });
    const { recent } = total as unknown as { recent: readonly { reason: string; limit: string }[] };
    expect(recent[0]).toMatchObject({ reason: 'limited', limit: expect.any(String) });
    expect(recent.length).toBeLessThanOrEqual(50);
    // Both have served.
    for (const each of Object.values(workers)) {
      const { routes } = each as unknown as { routes: Record<string, { requests: number }> };
      expect(Object.values(routes)[0]!.requests).toBeGreaterThan(100);
    }
  });

  it('are seen and reset by the admin port, for all', async () => {
    bed = await WorkersBed.start(LIMITS);
    expect(await bed.askOften(130, '/log')).toEqual({ 200: 100, 429: 30 });
    const peeked = (await (await bed.admin('/limits/log?key=all')).json()) as object;
    expect(peeked).toMatchObject({ decision: { allowed: false, limit: 100, remaining: 0 } });
    expect((await bed.admin('/limits/log?key=all', 'DELETE')).ok).toBe(true);
    expect(await bed.askOften(130, '/log')).toEqual({ 200: 100, 429: 30 });
    expect((await bed.admin('/limits/none?key=all')).status).toBe(404);
  });

  it('outlive the workers, and changes of other settings', async () => {
    bed = await WorkersBed.start(LIMITS);
    expect(await bed.askOften(60, '/log')).toEqual({ 200: 60 });
    await bed.reload(LIMITS.replace('path: /bucket', 'path: /pail'));
    const before = await bed.pids();
    process.kill(before[0]!, 'SIGKILL');
    await eventually('another worker', async () => {
      const now = await bed.pids();
      return now.length === 2 && !now.includes(before[0]!);
    });
    expect(await bed.askOften(60, '/log')).toEqual({ 200: 40, 429: 20 });
  });
});

it('says in metrics which worker it was', async () => {
  bed = await WorkersBed.start(LIMITS);
  await bed.askOften(40, '/log');
  const text = await (await bed.admin('/metrics')).text();
  expect(text).toMatch(/\{worker="1",[^}]*\} \d/);
  expect(text).toMatch(/\{worker="2",[^}]*\} \d/);
  expect(text).toContain('plimsoll_worker_up{worker="2"} 1');
  const types = text.match(/^# TYPE \S+/gm)!;
  expect(new Set(types).size).toBe(types.length);
});
