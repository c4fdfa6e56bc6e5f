import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../client/until.js';
import { RunningDemo, RunningProgram } from './running-demo.js';

let demo: RunningDemo;

beforeAll(async () => {
  demo = await RunningDemo.start();
});

afterAll(() => demo.stop());

describe('plimsoll top', () => {
  it('prints what it sees once', async () => {
    const run = new RunningProgram(['top', demo.page, '--once']);
    expect(await run.exited).toBe(0);
    expect(run.stdout).toMatch(/^READY {3}pid \d+/);
    expect(run.stdout).toMatch(/^clients offer \d+\/s/m);
    expect(run.stdout).toMatch(/^ {2}backend-6 +\S+ +[█░]{10}/m);
    expect(run.stdout).toMatch(/^customer \(requests a second\)/m);
    for (const line of run.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  it('prints look after look where there is no terminal, with what happens', async () => {
    const run = new RunningProgram(['top', demo.url('/'), '--token', demo.token, '--every', '500ms']);
    await until('two looks', () => run.stdout.split('READY').length > 2);
    await demo.set('policy', 'round-robin');
    await until('an event', () => /^\d\d:\d\d:\d\d reload$/m.test(run.stdout));
    run.child.kill('SIGINT');
    expect(await run.exited).toBe(0);
  });
});

describe('what cannot be read is said in a line', () => {
  const complaintOf = async (...args: string[]) => {
    const run = new RunningProgram(['top', ...args]);
    expect(await run.exited).toBe(2);
    expect(run.stdout).toBe('');
    expect(run.stderr.split('\n')).toHaveLength(2);
    return run.stderr;
  };

  it('a wrong token, or none', async () => {
    expect(await complaintOf(demo.url('/'))).toContain('wants a token');
    expect(await complaintOf(demo.url('/'), '--token', 'wrong')).toContain('wants a token');
  });

  it('nobody, or somebody else', async () => {
    const server = createServer((_, res) => res.end('<html></html>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await complaintOf(`127.0.0.1:${port}`)).toContain('is no admin port of Plimsoll');
    await new Promise((resolve) => server.close(resolve));
    expect(await complaintOf(`127.0.0.1:${port}`)).toContain('nothing listens there');
    // A port that browsers refuse to ask, whoever is there.
    expect(await complaintOf('http://127.0.0.1:1')).toContain(
      'http://127.0.0.1:1 cannot be read: nothing listens there',
    );
  });
});
