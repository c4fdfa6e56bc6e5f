import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGuard, currentRequest, type GuardOptions, type Handler } from '../../../src/server/index.js';
import { GuardedServer } from '../server/guarded-server.js';
import { expectNoMishaps } from '../server/mishaps.js';

/** What requests are charged of the CPU that they use, on a real server. */

const EXACT: Partial<GuardOptions> = {
  cpu: { mode: 'exact' },
  routes: [{ path: '/burn' }, { path: '/idle' }, { path: '/upload' }],
};
/** A machine that stands still for 100 ms in the middle of a slice charges it to whoever was running. */
const HICCUPS = { retry: 2 };

const BURNT_MS = 20;
const SLICES = 4;

/** By the clock that slices are measured with: a neighbour that takes the processor meanwhile changes little. */
function burn(ms: number): void {
  const startedMs = performance.now();
  while (performance.now() - startedMs < ms);
}

/** The same amount in the handler itself, after a timer, in a continuation and in a listener of a stream. */
const burning: Handler = async (_req, res) => {
  burn(BURNT_MS / SLICES);
  await sleep(10);
  burn(BURNT_MS / SLICES);
  await new Promise<void>((resolve) => {
    void Promise.resolve().then(() => {
      burn(BURNT_MS / SLICES);
      resolve();
    });
  });
  for await (const _chunk of Readable.from(['one chunk'])) burn(BURNT_MS / SLICES);
  res.end(String(currentRequest()!.cost));
};

const idling: Handler = async (_req, res) => {
  await sleep(50);
  res.end(String(currentRequest()!.cost));
};

/** Of bodies, seen so far in a test. */
let chunks = 0;

const uploading: Handler = (req, res) => {
  req.on('data', () => {
    chunks++;
    burn(BURNT_MS / 2);
  });
  req.on('end', () => res.end(String(currentRequest()!.cost)));
};

const handler: Handler = (req, res) => {
  if (req.url === '/burn') return burning(req, res);
  return req.url === '/upload' ? uploading(req, res) : idling(req, res);
};

expectNoMishaps();

let served: GuardedServer;
beforeEach(async () => {
  chunks = 0;
  served = await GuardedServer.start((req, res) => handler(req, res), EXACT);
});
afterEach(async () => {
  await served.until(() => served.guard.snapshot().inFlight === 0);
  await served.stop();
});

const cpu = () => served.guard.snapshot().cpu;
const routed = (name: string) => cpu().byRoute.find((account) => account.name === name);

/** Books are settled each second: those of so many requests of a route are in. */
const settled = (name: string, requests: number) =>
  served.until(() => routed(name)?.requests === requests && routed(name)!.totalMs > 0);

async function costOf(path: string): Promise<number> {
  const client = served.client();
  client.get(path);
  return Number((await client.answer()).body);
}

describe('a request', HICCUPS, () => {
  test('is charged what it burns in a handler, after a timer, in a promise and in a stream', async () => {
    // The first is slow: its code has not run before.
    await costOf('/burn');
    const cost = await costOf('/burn');
    expect(cost).toBeGreaterThan(BURNT_MS / 2);
    expect(cost).toBeLessThan(BURNT_MS * 2);
    await settled('/burn', 2);
    const { totalMs } = routed('/burn')!;
    expect(totalMs).toBeGreaterThan(BURNT_MS / 2);
    expect(totalMs).toBeLessThan(2 * BURNT_MS * 2);
  });

  test('is charged little when it waits, while another burns at the same time', async () => {
    // The first one of all pays for what is compiled and loaded, which on a busy machine is more than what is burnt.
    await costOf('/idle');
    await settled('/idle', 1);
    const { totalMs: before } = routed('/idle')!;
    const [idle, burnt] = await Promise.all([costOf('/idle'), costOf('/burn')]);
    expect(idle).toBeLessThan(BURNT_MS / 2);
    expect(burnt).toBeGreaterThan(BURNT_MS / 2);
    await settled('/burn', 1);
    await settled('/idle', 2);
    expect(routed('/idle')!.totalMs - before).toBeLessThan(routed('/burn')!.totalMs);
  });

  test('sees its cost grow', async () => {
    const costs: number[] = [];
    served.server.removeAllListeners('request');
    served.server.on(
      'request',
      served.guard.protect(async (_req, res) => {
        costs.push(currentRequest()!.cost);
        burn(5);
        costs.push(currentRequest()!.cost);
        await sleep(30);
        costs.push(currentRequest()!.cost);
        burn(5);
        costs.push(currentRequest()!.cost);
        res.end();
      }),
    );
    await costOf('/burn');
    const [begun, burnt, waited, twice] = costs as [number, number, number, number];
    expect(burnt - begun).toBeGreaterThan(2.5);
    // Waiting costs nothing, but the rest of the turns in which it stops and goes on counts to it.
    expect(waited - burnt).toBeGreaterThanOrEqual(0);
    expect(waited - burnt).toBeLessThan(15);
    expect(twice - waited).toBeGreaterThan(2.5);
  });

  test('is charged what is done with the chunks of its body, also while another waits', async () => {
    const [uploader, other] = await served.clients(2);
    const idle = costOf('/idle');
    uploader!.send('POST /upload HTTP/1.1\r\nhost: test\r\ncontent-length: 6\r\n\r\none');
    other!.get('/idle');
    await served.until(() => chunks === 1);
    uploader!.send('two');
    const cost = Number((await uploader!.answer()).body);
    // More than the first chunk alone, which comes with the headers.
    expect(cost).toBeGreaterThan(BURNT_MS * 0.75);
    expect(cost).toBeLessThan(BURNT_MS * 2);
    expect(await idle).toBeLessThan(BURNT_MS / 2);
    expect(Number((await other!.answer()).body)).toBeLessThan(BURNT_MS / 2);
  });
});

describe('snapshot().cpu', HICCUPS, () => {
  test('adds up to what the process has used, with every account of a kind', async () => {
    await Promise.all([costOf('/burn'), costOf('/burn'), costOf('/idle')]);
    await settled('/burn', 2);
    await settled('/idle', 1);
    const { total, perSecond, byRoute, byCustomer, byCriticality, mode, measuredShare } = cpu();
    expect([mode, measuredShare]).toEqual(['exact', 1]);
    for (const { processMs, requestsMs, overheadMs, otherGuardsMs } of [total, perSecond]) {
      expect(requestsMs + overheadMs + otherGuardsMs).toBeCloseTo(processMs, 6);
    }
    expect(total.requestsMs).toBeGreaterThan(BURNT_MS / 2);
    for (const accounts of [byRoute, byCustomer, byCriticality]) {
      expect(accounts.reduce((sum, { totalMs }) => sum + totalMs, 0)).toBeCloseTo(total.requestsMs, 6);
      expect(accounts.reduce((sum, { requests }) => sum + requests, 0)).toBe(3);
    }
  });

  test('keeps requests of another guard of the process apart', async () => {
    const other = createGuard({ cpu: { mode: 'exact' }, signals: { custom: [] } });
    try {
      await costOf('/burn');
      await served.until(() => other.snapshot().cpu.total.otherGuardsMs > BURNT_MS / 2);
      const { processMs, requestsMs, overheadMs, otherGuardsMs } = other.snapshot().cpu.total;
      expect(requestsMs).toBeCloseTo(0, 6);
      expect(overheadMs + otherGuardsMs).toBeCloseTo(processMs, 6);
      expect(cpu().total.otherGuardsMs).toBeCloseTo(0, 6);
    } finally {
      await other.drain({ timeoutMs: 0 });
    }
  });

  test('shows a request that is not answered yet', async () => {
    const [client] = await served.clients(1);
    client!.send('POST /upload HTTP/1.1\r\nhost: test\r\ncontent-length: 6\r\n\r\none');
    await served.until(() => (routed('/upload')?.totalMs ?? 0) > BURNT_MS / 4);
    expect(routed('/upload')!.requests).toBe(0);
    client!.send('two');
    await client!.answer();
  });
});
