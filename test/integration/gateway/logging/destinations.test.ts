import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../client/until.js';
import { EchoBackend } from '../echo-backend.js';
import { LoggingGateway, linesOf } from './logging-gateway.js';

let backend: EchoBackend;
const running: { stop(): unknown }[] = [];

beforeAll(async () => {
  backend = await EchoBackend.start();
  backend.handler = (_, res) => res.end('ok');
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});
afterAll(() => backend.stop());

const route = () => `routes: [{ name: api, to: "${backend.url}" }]\n`;
/** 1.3 KB a line: a megabyte of them is soon there. */
const LONG = `/${'a'.repeat(1_000)}`;

async function start(settings: string, output?: NonNullable<Parameters<typeof LoggingGateway.start>[1]>) {
  const gateway = await LoggingGateway.start(settings, output);
  running.push(gateway);
  return gateway;
}

/** Reads a log into a file, until it is told to stand still. */
class Reader {
  readonly child;
  readonly #folder = mkdtempSync(join(tmpdir(), 'plimsoll-reader-'));
  readonly #file = join(this.#folder, 'out');

  constructor() {
    const fd = openSync(this.#file, 'w');
    this.child = spawn('cat', { stdio: ['pipe', fd, 'ignore'] });
    closeSync(fd);
    running.push(this);
  }

  get text(): string {
    return readFileSync(this.#file, 'utf8');
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

describe('where a log goes', () => {
  it('does without a reader that stands still, and tells later what it has dropped', async () => {
    const reader = new Reader();
    const gateway = await start(route(), reader.child.stdin!);
    await gateway.ask('/first');
    await until('the first line', () => reader.text.includes('/first'), 10_000);
    reader.child.kill('SIGSTOP');
    const { statuses, mostMs } = await gateway.askMany(2_500, LONG);
    expect([...statuses]).toEqual([[200, 2_500]]);
    expect(mostMs).toBeLessThan(3_000);
    reader.child.kill('SIGCONT');
    await until('what had waited', () => reader.text.length > 1_000_000, 20_000);
    await gateway.ask('/last');
    expect(await gateway.end()).toBe(0);
    reader.child.stdin!.end();
    await until('all lines', () => reader.text.includes('"closed"'), 10_000);
    const lines = linesOf(reader.text);
    const dropped = lines.reduce((sum, line) => sum + ((line['dropped'] as number | undefined) ?? 0), 0);
    expect(dropped).toBeGreaterThan(500);
    expect(lines.filter(({ path }) => path === LONG).length + dropped).toBe(2_500);
    expect(lines.at(-1)!.msg).toBe('closed');
  }, 60_000);

  it('ends although nobody reads', async () => {
    const reader = new Reader();
    const gateway = await start(route(), reader.child.stdin!);
    reader.child.kill('SIGSTOP');
    await gateway.askMany(800, LONG);
    const startedMs = performance.now();
    expect(await gateway.end()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  }, 60_000);

  it('goes on when its reader is gone', async () => {
    const reader = new Reader();
    const gateway = await start(route(), reader.child.stdin!);
    reader.child.stdin!.destroy();
    await reader.stop();
    const { statuses } = await gateway.askMany(100, '/');
    expect([...statuses]).toEqual([[200, 100]]);
    expect(await gateway.end()).toBe(0);
  }, 60_000);

  it('goes on when the disk is full', async () => {
    const gateway = await start(`log: { destination: /dev/full }\n${route()}`);
    const { statuses } = await gateway.askMany(200, LONG);
    expect([...statuses]).toEqual([[200, 200]]);
    expect(await gateway.end()).toBe(0);
    expect(gateway.stdout).toBe('');
  }, 60_000);

  it('goes to a file, and to another one when that was moved or somebody says so', async () => {
    const gateway = await start(`log: { destination: gateway.log }\n${route()}`);
    const file = join(gateway.folder, 'gateway.log');
    await gateway.ask('/one');
    await until('the first line', () => gateway.read('gateway.log').includes('/one'), 10_000);
    renameSync(file, `${file}.1`);
    gateway.child.kill('SIGHUP');
    await until('another file', () => existsSync(file), 10_000);
    await gateway.ask('/two');
    await until('a line there', () => gateway.read('gateway.log').includes('/two'), 10_000);
    renameSync(file, `${file}.2`);
    // Nobody says so, but it shows.
    while (!existsSync(file)) {
      await gateway.ask('/three');
      await sleep(100);
    }
    await gateway.ask('/four');
    expect(await gateway.end()).toBe(0);
    const pathsIn = (name: string) =>
      linesOf(gateway.read(name)).flatMap(({ path }) => (path as string) ?? []);
    expect(pathsIn('gateway.log.1')).toEqual(['/one']);
    expect(pathsIn('gateway.log.2')).toContain('/two');
    expect(pathsIn('gateway.log').at(-1)).toBe('/four');
    expect(linesOf(gateway.read('gateway.log')).at(-1)!.msg).toBe('closed');
  }, 60_000);

  it('says in a line where it cannot go', async () => {
    const gateway = await start(`log: { destination: no/such/gateway.log }\n${route()}`);
    expect(await gateway.exited).toBe(2);
    expect(gateway.stderr).toMatch(
      /^plimsoll: \S+\.yaml:\d+:21: log\.destination: cannot write to .*gateway\.log: there is no such directory: write .*\n$/,
    );
  }, 60_000);
});
