import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { GuardOptions, Handler } from '../../../src/server/index.js';
import { GuardedServer, PATIENT } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';
import type { RawClient } from './raw-client.js';

expectNoMishaps();

function answerWithLength(req: IncomingMessage, res: ServerResponse): void {
  let length = 0;
  req.on('data', (chunk: Buffer) => {
    length += chunk.length;
  });
  req.on('end', () => res.end(`${req.url} ${length}`));
}

/** A server that runs one request at a time, and how to end the one that runs. */
class Bottleneck {
  static async start(options: Partial<GuardOptions> = {}): Promise<Bottleneck> {
    const made = new Bottleneck();
    const handler: Handler = (req, res) => {
      made.ran.push(req.url!);
      made.finish = () => {
        if (req.method === 'GET') res.end(req.url);
        else answerWithLength(req, res);
      };
    };
    made.served = await GuardedServer.start(handler, { ...PATIENT, ...options });
    made.served.client().get('/first');
    await made.served.until(() => made.ran.length === 1);
    return made;
  }

  readonly ran: string[] = [];
  served!: GuardedServer;
  finish: () => void = () => {};

  /** Each on a connection of its own, all at once, and waits until they are in the queue. */
  async queue(...requests: [path: string, ...headers: string[]][]): Promise<RawClient[]> {
    const clients = await this.served.clients(requests.length);
    for (const [i, [path, ...headers]] of requests.entries()) clients[i]!.get(path, ...headers);
    await this.served.until(() => this.served.guard.snapshot().waiting === requests.length);
    return clients;
  }

  /** Until nothing runs any more; what ran in the order in which it did. */
  async finishAll(): Promise<string[]> {
    const { guard } = this.served;
    for (let { inFlight } = guard.snapshot(); inFlight > 0; { inFlight } = guard.snapshot()) {
      const { length } = this.ran;
      this.finish();
      await this.served.until(() => guard.snapshot().inFlight < inFlight);
      await this.served.until(() => this.ran.length > length || guard.snapshot().inFlight === 0);
    }
    return this.ran.slice(1);
  }
}

const TEN = Array.from({ length: 10 }, (_, i): [string] => [`/${i}`]);

let bottleneck: Bottleneck;
afterEach(async () => {
  await bottleneck.finishAll();
  expect(bottleneck.served.guard.snapshot()).toMatchObject({ inFlight: 0, waiting: 0, gate: { running: 0 } });
  await bottleneck.served.stop();
});

for (const earlyRefusal of ['auto', 'off'] as const) {
  describe(`the queue, earlyRefusal: ${earlyRefusal}`, () => {
    test('runs the most critical first, and equals in their order', async () => {
      bottleneck = await Bottleneck.start({ earlyRefusal });
      const order = ['SHEDDABLE', 'CRITICAL', 'SHEDDABLE_PLUS', 'CRITICAL_PLUS', 'CRITICAL', 'CRITICAL_PLUS'];
      await bottleneck.queue(
        ...order.map((criticality, i): [string, string] => [
          `/${criticality}/${i}`,
          `x-request-criticality: ${criticality}`,
        ]),
      );
      expect(await bottleneck.finishAll()).toEqual([
        '/CRITICAL_PLUS/3',
        '/CRITICAL_PLUS/5',
        '/CRITICAL/1',
        '/CRITICAL/4',
        '/SHEDDABLE_PLUS/2',
        '/SHEDDABLE/0',
      ]);
    });

    test('lets go of those whose clients leave, and never runs them', async () => {
      bottleneck = await Bottleneck.start({ earlyRefusal });
      const { guard } = bottleneck.served;
      const clients = await bottleneck.queue(...TEN);
      expect(guard.snapshot()).toMatchObject({ inFlight: 11, waiting: 10 });
      for (const [i, client] of clients.entries()) if (i % 2 === 0) client.close();
      await bottleneck.served.until(() => guard.snapshot().waiting === 5);
      expect(guard.snapshot()).toMatchObject({ inFlight: 6, gate: { running: 1 } });
      expect(await bottleneck.finishAll()).toEqual(['/1', '/3', '/5', '/7', '/9']);
      expect(guard.snapshot().counts.CRITICAL).toMatchObject({ left: 5, ended: 6 });
    });

    test('is seen as executor load, which is over when those that waited have left', async () => {
      bottleneck = await Bottleneck.start({ earlyRefusal });
      const { guard } = bottleneck.served;
      const runnable = () => guard.snapshot().utilization.runnable!;
      const clients = await bottleneck.queue(...TEN);
      await bottleneck.served.until(() => runnable() > 1);
      for (const client of clients) client.close();
      await bottleneck.served.until(() => guard.snapshot().waiting === 0);
      const before = runnable();
      await bottleneck.served.until(() => runnable() < before / 2);
    });

    test('lets go of several on one connection', async () => {
      bottleneck = await Bottleneck.start({ earlyRefusal });
      const { guard } = bottleneck.served;
      const client = bottleneck.served.client();
      for (let i = 0; i < 5; i++) client.get(`/${i}`);
      await bottleneck.served.until(() => guard.snapshot().waiting === 5);
      client.close();
      await bottleneck.served.until(() => guard.snapshot().waiting === 0);
      expect(guard.snapshot().inFlight).toBe(1);
      expect(await bottleneck.finishAll()).toEqual([]);
    });

    test('answers pipelined requests in their order, whatever the order in which they run', async () => {
      bottleneck = await Bottleneck.start({ earlyRefusal });
      const client = bottleneck.served.client();
      client.get('/low', 'x-request-criticality: SHEDDABLE');
      client.get('/high', 'x-request-criticality: CRITICAL_PLUS');
      await bottleneck.served.until(() => bottleneck.served.guard.snapshot().waiting === 2);
      expect(await bottleneck.finishAll()).toEqual(['/high', '/low']);
      expect((await client.answer()).body).toBe('/low');
      expect((await client.answer()).body).toBe('/high');
    });

    test('holds no more than its bound, and refuses the rest at once', async () => {
      bottleneck = await Bottleneck.start({ earlyRefusal, queue: { ...PATIENT.queue, maxWaiting: 5 } });
      await bottleneck.queue(...TEN.slice(0, 5));
      const { guard } = bottleneck.served;
      const tooMany = bottleneck.served.client();
      tooMany.get('/too-many');
      expect((await tooMany.answer()).status).toBe(503);
      // A more critical one takes the place of one that waits.
      bottleneck.served.client().get('/important', 'x-request-criticality: CRITICAL_PLUS');
      await bottleneck.served.until(() => guard.snapshot().refusals.CRITICAL.evicted === 1);
      const ran = await bottleneck.finishAll();
      expect(ran[0]).toBe('/important');
      expect(ran).toHaveLength(5);
    });
  });
}

test('a body that comes while its request waits is there when it runs', async () => {
  bottleneck = await Bottleneck.start();
  const client = bottleneck.served.client();
  client.send(`POST /body HTTP/1.1\r\nhost: x\r\ncontent-length: 300000\r\n\r\n${'x'.repeat(300_000)}`);
  await bottleneck.served.until(() => bottleneck.served.guard.snapshot().waiting === 1);
  expect(await bottleneck.finishAll()).toEqual(['/body']);
  expect((await client.answer()).body).toBe('/body 300000');
});
