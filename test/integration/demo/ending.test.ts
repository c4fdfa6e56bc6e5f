import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../client/until.js';
import { childrenOf, isAlive } from './children-of.js';
import { RunningDemo, RunningProgram } from './running-demo.js';

let demo: RunningDemo | undefined;

afterEach(() => demo?.stop());

async function started(): Promise<{ demo: RunningDemo; children: number[] }> {
  demo = await RunningDemo.startPage();
  const children = childrenOf(demo.child.pid!);
  const pids = (await demo.part()).backends.map(({ pid }) => pid!);
  expect(new Set(children)).toEqual(new Set([...pids, ...children]));
  expect(children).toHaveLength(7);
  return { demo, children };
}

describe('the end of a demo', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('comes soon after %s, for all of its processes', async (signal) => {
    const running = await started();
    const sentMs = performance.now();
    running.demo.child.kill(signal);
    // As Ctrl-C does it in a terminal.
    if (signal === 'SIGINT') for (const pid of running.children) process.kill(pid, signal);
    expect(await running.demo.exited).toBe(0);
    expect(performance.now() - sentMs).toBeLessThan(3_000);
    await until('nobody', () => !running.children.some(isAlive), 1_000);
  });

  it('leaves nobody behind when the primary is killed', async () => {
    const running = await started();
    running.demo.child.kill('SIGKILL');
    await until('nobody', () => !running.children.some(isAlive), 5_000);
  });

  it('leaves nobody behind when the primary is killed before the others have begun to listen to it', async () => {
    const run = new RunningProgram(['demo', '--port', '0']);
    await until('all of them', () => childrenOf(run.child.pid!).length === 7, 20_000);
    const children = childrenOf(run.child.pid!);
    run.child.kill('SIGKILL');
    // They load a program first.
    await until('nobody', () => !children.some(isAlive), 20_000);
  });
});

it('says in a line that its port is taken', async () => {
  demo = await RunningDemo.startPage();
  const { port } = new URL(demo.page);
  const second = new RunningProgram(['demo', '--port', port]);
  expect(await second.exited).toBe(2);
  expect(second.stderr).toContain(port);
  expect(second.stderr).toMatch(/^plimsoll: .*--port 0 takes any that is free\n$/);
});

it.each([
  [['--load', '99'], '--load must be a number from 0.5 to 10'],
  [['--json'], '--json is for the summary'],
])('does not begin with %j', async (args, problem) => {
  const run = new RunningProgram(['demo', ...args]);
  expect(await run.exited).toBe(2);
  expect(run.stderr).toContain(problem);
});

it('helps', async () => {
  const run = new RunningProgram(['demo', '--help']);
  expect(await run.exited).toBe(0);
  expect(run.stdout).toContain('--for 20s');
});
