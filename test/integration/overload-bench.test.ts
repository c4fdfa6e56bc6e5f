import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AnswerReader } from '../../bench/overload/load/answer-reader.js';
import { type ArrivalOptions, scheduleArrivals } from '../../bench/overload/load/arrivals.js';
import { Calm } from '../../bench/overload/load/calm.js';
import { saturate } from '../../bench/overload/load/closed-loop.js';
import { ConnectionPool } from '../../bench/overload/load/connection-pool.js';
import { Flood, type FloodOptions } from '../../bench/overload/load/open-loop.js';
import { buildRequest, GREETING_PATH } from '../../bench/overload/load/requests.js';
import { overloadOptions } from '../../bench/overload/options.js';
import { housekeepers } from '../../bench/overload/watch/housekeepers.js';
import { until } from './client/until.js';

/** For every request of a flood here to have its own, should the machine stand still for a while. */
const ENOUGH = 250;

const open: { server: Server; pool: ConnectionPool }[] = [];

afterEach(() => {
  for (const { server, pool } of open.splice(0)) {
    pool.close();
    server.closeAllConnections();
    server.close();
  }
});

/** Connections to a server that answers in that way. */
async function connectTo(answer: RequestListener, connections: number): Promise<ConnectionPool> {
  const server = createServer((request, response) => {
    if (request.url === GREETING_PATH) response.end('welcome');
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const pool = await ConnectionPool.open(port, connections, buildRequest(GREETING_PATH));
  open.push({ server, pool });
  return pool;
}

function refuse(response: ServerResponse): void {
  response.writeHead(503, { 'content-length': 0 }).end();
}

function flood(pool: ConnectionPool, given: Partial<FloodOptions>) {
  const options: FloodOptions = {
    perSecond: 500,
    seconds: 0.5,
    spacing: 'even',
    mix: [{ criticality: 'CRITICAL_PLUS', share: 0.2 }],
    seed: 1,
    timeoutMs: 2_000,
    warmUpMs: 0,
    tailMs: 0,
    maxLagMs: 5,
    ...given,
  };
  return new Flood(pool, options, (criticality) => buildRequest('/', criticality)).run();
}

describe('the load generator of the overload bench', () => {
  it('tells good answers from refusals, errors, silence and closed connections, by criticality', async () => {
    const seen: Record<string, number> = { CRITICAL_PLUS: 0, CRITICAL: 0 };
    let count = 0;
    const pool = await connectTo((request, response) => {
      seen[(request.headers['x-request-criticality'] as string) ?? 'CRITICAL']!++;
      const turn = count++ % 10;
      if (turn === 0) refuse(response);
      else if (turn === 1) response.writeHead(500, { 'content-length': 4 }).end('oops');
      else if (turn === 2) request.socket.destroy();
      else if (turn > 3) response.end('x'.repeat(turn === 4 ? 200_000 : 10));
    }, ENOUGH);
    const { whole: steady } = await flood(pool, { timeoutMs: 1_500 });

    expect(steady).toMatchObject({ arrivals: 250, failed: 25, lost: 25, timedOut: 25, late: 0, unsent: 0 });
    expect(steady).toMatchObject({ good: { count: 150 }, refused: { count: 25 }, goodput: 300 });
    const { CRITICAL_PLUS, CRITICAL } = steady.byCriticality;
    expect([CRITICAL_PLUS!.arrivals, CRITICAL!.arrivals]).toEqual([seen['CRITICAL_PLUS'], seen['CRITICAL']]);
    expect(CRITICAL_PLUS!.good + CRITICAL!.good).toBe(150);
  });

  it('does not take an answer for good that came too late', async () => {
    const pool = await connectTo((_request, response) => {
      setTimeout(() => response.end(), 100);
    }, ENOUGH);
    const { whole: steady } = await flood(pool, { timeoutMs: 50 });
    expect(steady.good.count).toBe(0);
    expect(steady.timedOut).toBe(250);
    expect(steady.late).toBeGreaterThan(0);
  });

  it('counts waiting to be sent as waiting, and says that it was late', async () => {
    const pool = await connectTo((_request, response) => {
      response.end();
    }, ENOUGH);
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200), 100);
    const { whole, lagMaxMs, calmSeconds } = await flood(pool, {});
    expect(whole.good).toMatchObject({ count: 250 });
    // Not only those that were under way then, but all that should have been sent.
    expect(whole.good.p99Ms).toBeGreaterThan(150);
    expect(lagMaxMs).toBeGreaterThan(180);
    // 200 of 500 ms, and what is next to them.
    expect(calmSeconds).toBeLessThan(0.25);
  });

  it('never sends behind a request that is under way, and goes on where answers were late', async () => {
    const waiting: (() => void)[] = [];
    const pool = await connectTo((_request, response) => {
      waiting.push(() => response.end());
    }, 10);
    const stuck = await flood(pool, { timeoutMs: 50 });
    expect(stuck.whole).toMatchObject({ timedOut: 10, unsent: 240 });
    expect(waiting.length).toBe(10);
    // The first of the next flood find no connection; answers to the last one are not theirs.
    const answerAll = () => waiting.splice(0).forEach((answer) => void answer());
    setTimeout(() => setInterval(answerAll, 1).unref(), 50);
    const { whole: steady } = await flood(pool, { perSecond: 50, seconds: 0.5 });
    expect(steady.unsent).toBeGreaterThan(0);
    expect(steady.good.count).toBeGreaterThan(0);
    expect(steady.unsent + steady.good.count).toBe(25);
  });

  it('has nothing to say of a flood that was all warm-up', async () => {
    const pool = await connectTo((_request, response) => {
      response.end();
    }, 10);
    expect(() => flood(pool, { seconds: 0.1, warmUpMs: 200 })).toThrow('over before its warm-up');
  });

  it('says when refusals came, and from when on everybody was answered promptly', async () => {
    let count = 0;
    const pool = await connectTo((_request, response) => {
      const delayMs = count++ < 20 ? 200 : 0;
      setTimeout(() => refuse(response), delayMs);
    }, ENOUGH);
    // The first 20 of 200 a second come within 100 ms.
    const {
      first,
      whole: steady,
      settledMs,
      firstRefusalMs,
    } = await flood(pool, {
      perSecond: 200,
      seconds: 1.2,
      warmUpMs: 100,
      tailMs: 100,
    });
    expect([first.arrivals, steady.arrivals]).toEqual([20, 200]);
    expect(first.refused.p50Ms).toBeGreaterThan(180);
    expect(firstRefusalMs).toBeGreaterThan(100);
    expect(settledMs).toBeGreaterThanOrEqual(100);
  });

  it('does as much as a server can, and no more, when its clients wait for answers', async () => {
    const pool = await connectTo((_request, response) => {
      setTimeout(() => response.end(), 20);
    }, 8);
    const { goodput, perSecond, answered, p50Ms } = await saturate(
      pool,
      { concurrency: 4, seconds: 0.5 },
      buildRequest('/'),
    );
    expect(p50Ms).toBeGreaterThan(18);
    // 4 clients, 20 ms each: 200 a second, a timer that is a millisecond early included.
    expect(goodput).toBeLessThan(4 / 0.018);
    expect(perSecond).toBe(goodput);
    expect(answered).toBeGreaterThan(8);
  });

  it('goes on without clients whose connection was closed, and says how many', async () => {
    let count = 0;
    const pool = await connectTo((request, response) => {
      if (count++ < 3) request.socket.destroy();
      else response.end();
    }, 8);
    const { lost, goodput } = await saturate(pool, { concurrency: 4, seconds: 0.2 }, buildRequest('/'));
    expect(lost).toBe(3);
    expect(goodput).toBeGreaterThan(0);
  });
});

describe('the schedule of arrivals', () => {
  const options: ArrivalOptions = {
    perSecond: 40_000,
    seconds: 0.05,
    spacing: 'even',
    mix: [{ criticality: 'SHEDDABLE', share: 0.25 }],
    seed: 7,
  };

  it('is even, or has the gaps of independent clients, at the same rate', () => {
    const even = scheduleArrivals(options).atMs;
    expect(even).toHaveLength(2_000);
    expect(even.at(-1)).toBeCloseTo(49.975, 6);
    const { atMs } = scheduleArrivals({ ...options, seconds: 1, spacing: 'poisson' });
    expect(atMs.length / 40_000).toBeCloseTo(1, 1);
    const gaps = atMs.slice(1).map((at, index) => at - atMs[index]!);
    // Of exponential gaps e⁻¹ are longer than their mean.
    expect(gaps.filter((gap) => gap > 1 / 40).length / gaps.length).toBeCloseTo(Math.exp(-1), 1);
  });

  it('is the same for the same seed, and has the wanted mix', () => {
    const poisson: ArrivalOptions = { ...options, spacing: 'poisson' };
    expect(scheduleArrivals(poisson)).toEqual(scheduleArrivals(poisson));
    expect(scheduleArrivals({ ...poisson, seed: 8 }).atMs).not.toEqual(scheduleArrivals(poisson).atMs);
    const { kinds } = scheduleArrivals(options);
    expect(kinds.filter((kind) => kind === 0).length / kinds.length).toBeCloseTo(0.25, 1);
  });
});

describe('the reader of answers', () => {
  const answer = (text: string) => Buffer.from(text, 'latin1');
  const whole = answer('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy');

  it('reads answers in pieces of any size, one after the other', () => {
    for (const size of [1, 7, 57, whole.length]) {
      const reader = new AnswerReader();
      for (let round = 0; round < 2; round++) {
        for (let at = 0; at < whole.length; at += size) {
          const piece = whole.subarray(at, at + size);
          expect(reader.read(piece, piece.length)).toBe(at + size >= whole.length);
        }
        expect(reader.status).toBe(503);
      }
    }
  });

  it('refuses more than one answer, and one whose end it cannot know', () => {
    const twice = Buffer.concat([whole, whole]);
    expect(() => new AnswerReader().read(twice, twice.length)).toThrow('more was answered');
    const endless = answer('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    expect(() => new AnswerReader().read(endless, endless.length)).toThrow('without content-length');
  });
});

describe('what the machine leaves to a measurement', () => {
  it('is calm but for slices in which a processor was missing, and those next to them', () => {
    const stolenMs = [0, 0];
    const calm = new Calm(() => [...stolenMs]);
    for (let at = 0; at <= 2_000; at += 5) {
      // 10 ms are within what the kernel can tell; 20 are not, on whichever processor.
      if (at === 350) stolenMs[0]! += 10;
      if (at === 1_050) stolenMs[1]! += 20;
      calm.poll(at);
    }
    expect([350, 899, 900, 1_050, 1_199, 1_200].map((at) => calm.isCalm(at))).toEqual([
      true,
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(calm.calmMs(0, 2_000)).toBe(1_700);
    expect(calm.calmMs(850, 1_250)).toBe(100);
    calm.disturb(1_750);
    expect(calm.calmMs(0, 2_000)).toBe(1_400);
  });

  it('does not count what came near a stall, by when it came', () => {
    const calm = new Calm(() => []);
    calm.poll(1_000);
    // Three that each add to a queue that is not worked off yet, 497 to 531 ms, and one that is far from them.
    calm.spoil([
      { untilMs: 511, lostMs: 1 },
      { untilMs: 501, lostMs: 1 },
      { untilMs: 501, lostMs: 1 },
      { untilMs: 802, lostMs: 2 },
    ]);
    const instants = [496.9, 497, 506, 530.9, 531, 796.9, 797, 821.9, 822];
    expect(instants.map((at) => calm.isCalm(at))).toEqual([
      ...[true, false, false, false],
      ...[true, true, false, false, true],
    ]);
    expect(calm.calmMs(0, 1_000)).toBeCloseTo(1_000 - 34 - 25, 9);
  });
});

describe('a watchman', () => {
  it('says for how long those had a core who keep house', async () => {
    const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    const watch = spawn('perl', ['bench/overload/watch/watch.pl', String(busy.pid)]);
    try {
      let said = '';
      watch.stdout.on('data', (chunk) => (said += chunk));
      const lostMs = () => said.split('\n').reduce((sum, line) => sum + Number(line.split(' ')[1] ?? 0), 0);
      // One that never rests has most of each; whoever only wakes late loses a few in a second. Elsewhere nobody knows.
      const isKnown = existsSync('/proc/self/schedstat');
      await until('200 ms of somebody else', () => (isKnown ? lostMs() > 200 : said !== ''), 10_000);
      expect(said).toMatch(/^watching\n(\d+\.\d{3} \d+\.\d{3}\n)*/);
    } finally {
      watch.kill('SIGKILL');
      busy.kill('SIGKILL');
    }
  });

  it('is not told of programs, whatever they are called', () => {
    expect(housekeepers()).not.toContain(String(process.pid));
    for (const pid of housekeepers()) expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toBe('');
  });
});

describe('the flags of the overload bench', () => {
  it('have defaults, and are read', () => {
    expect(overloadOptions({})).toMatchObject({ runs: 3, seconds: 12, spacing: 'poisson' });
    expect(
      overloadOptions({
        only: 'sync,burst',
        runs: '1',
        seconds: '9',
        mix: 'SHEDDABLE=0.5,CRITICAL_PLUS=0.1',
      }),
    ).toMatchObject({
      only: ['sync', 'burst'],
      runs: 1,
      seconds: 9,
      mix: [
        { criticality: 'SHEDDABLE', share: 0.5 },
        { criticality: 'CRITICAL_PLUS', share: 0.1 },
      ],
    });
    expect(overloadOptions({ soak: '10m' }).soakSeconds).toBe(600);
  });

  it.each([
    [{ only: 'snyc' }, '--only knows'],
    [{ runs: '0' }, '--runs must be at least 1'],
    [{ seconds: 'long' }, '--seconds must be at least 7'],
    [{ arrivals: 'odd' }, '--arrivals knows poisson, even'],
    [{ mix: 'CRITICAL_PLUS' }, '--mix must be at least 0'],
    [{ mix: 'CRITICAL_PLUS=0.8,SHEDDABLE=0.8' }, 'is more than all'],
    [{ soak: '10' }, '--soak takes a time'],
  ])('are refused when they make no sense: %j', (flags, message) => {
    expect(() => overloadOptions(flags)).toThrow(message);
  });
});
