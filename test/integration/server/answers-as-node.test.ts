import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Handler } from '../../../src/server/index.js';
import { GuardedServer } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';
import { RawClient } from './raw-client.js';

expectNoMishaps();

/** All the ways to end an answer that differ in what Node writes, and in how often. */
const WAYS: Record<string, (res: ServerResponse) => unknown> = {
  'a text': (res) => res.end('hello world'),
  'a text of many alphabets': (res) => res.end('größer: 負荷, 부하 🚢'),
  'a text in Latin-1': (res) => res.end('größer', 'latin1'),
  'a text in base64': (res) => res.end('aGVsbG8=', 'base64'),
  'a long text': (res) => res.end('x'.repeat(300_000)),
  bytes: (res) => res.end(Buffer.from('hello')),
  nothing: (res) => res.end(),
  'an empty text': (res) => res.end(''),
  'a text with its length': (res) => {
    res.setHeader('content-length', 5);
    res.end('hello');
  },
  'a text after some of it': (res) => {
    res.write('hello ');
    res.end('world');
  },
  'headers first': (res) => {
    res.writeHead(201, { 'content-type': 'text/plain' });
    res.flushHeaders();
    res.end('made');
  },
  'no content': (res) => {
    res.statusCode = 204;
    res.end();
  },
  'a text where none may be': (res) => {
    res.statusCode = 304;
    res.end('never said');
  },
  'a callback': (res) => {
    res.end('hello', () => res.emit('test-finished'));
  },
  'a header beyond ASCII': (res) => {
    res.setHeader('x-name', 'größer');
    res.end('hello');
  },
  'a text for somebody who closes': (res) => {
    res.setHeader('connection', 'close');
    res.end('bye');
  },
};

const servers: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function bare(listener: RequestListener): Promise<RawClient> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new RawClient((server.address() as AddressInfo).port);
  const stop = async () => {
    client.close();
    server.close();
  };
  servers.push({ stop });
  return client;
}

async function guarded(handler: Handler): Promise<RawClient> {
  const server = await GuardedServer.start(handler);
  servers.push(server);
  return server.client();
}

/** What the guard adds, and what changes by itself. */
const OURS = new Set(['endpoint-load-metrics', 'keep-alive', 'date']);

async function told(client: RawClient, method: string): Promise<unknown> {
  // The second one finds the connection as the first has left it.
  const answers: unknown[] = [];
  for (let i = 0; i < 2 && !client.isClosed; i++) {
    client.send(`${method} /${i} HTTP/1.1\r\nhost: test\r\n\r\n`);
    const { status, headers, body } = await client.answer(method === 'HEAD');
    const own = Object.entries(headers).filter(([name]) => !OURS.has(name));
    answers.push({ status, own, body });
    if (headers['connection'] === 'close') await client.closed();
  }
  return answers;
}

/** A value of a header that is asked for its text, and does something meanwhile. */
function asText(then: () => void): string {
  const value = {
    toString() {
      then();
      return 'text';
    },
  };
  return value as unknown as string;
}

describe('answers under a guard', () => {
  for (const [name, end] of Object.entries(WAYS)) {
    for (const method of ['GET', 'HEAD']) {
      it(`are to the byte what Node says: ${name}, ${method}`, async () => {
        const handler = (_req: unknown, res: ServerResponse) => end(res);
        const expected = await told(await bare(handler), method);
        expect(await told(await guarded(handler), method)).toEqual(expected);
      });
    }
  }

  // A vector of a text and an empty one takes 2 µs more than the text.
  it('go to the kernel in one piece, if they are one text', async () => {
    const pieces: number[] = [];
    const client = await guarded((_req, res) => {
      const socket = res.socket as unknown as { _writev(chunks: unknown[], done: () => void): void };
      const { _writev } = Object.getPrototypeOf(socket) as typeof socket;
      socket._writev = (chunks, done) => {
        pieces.push(chunks.length);
        _writev.call(socket, chunks, done);
      };
      res.end('hello');
    });
    client.get();
    expect((await client.answer()).body).toBe('hello');
    expect(pieces).toEqual([]);
  });

  it('say when they are out', async () => {
    const heard: string[] = [];
    const client = await guarded((_req, res) => {
      res.on('finish', () => heard.push('finish'));
      res.end('hello', () => heard.push('callback'));
    });
    client.get();
    await client.answer();
    client.get();
    await client.answer();
    expect(heard.filter((each) => each === 'callback')).not.toHaveLength(0);
    expect(heard.filter((each) => each === 'finish')).not.toHaveLength(0);
  });

  it.each([
    // A listener of the one is called while it ends; from Node 24 on there is none any more.
    ['a listener', (res: ServerResponse, then: () => void) => res.once('newListener', then)],
    ['a header', (res: ServerResponse, then: () => void) => res.setHeader('x-text', asText(then))],
  ])('do not get into each other when one ends another by %s', async (_, doMeanwhile) => {
    let waiting: ServerResponse | undefined;
    const server = await GuardedServer.start((req, res) => {
      if (req.url === '/waits') {
        waiting = res;
        return;
      }
      let isEnding = false;
      const endOther = () => {
        if (!isEnding) return;
        waiting?.end('for the other');
        waiting = undefined;
      };
      doMeanwhile(res, endOther);
      isEnding = true;
      res.end('for this one', () => {});
      endOther();
    });
    servers.push(server);
    const [first, second] = await server.clients(2);
    first!.get('/waits');
    await server.until(() => waiting !== undefined);
    second!.get('/');
    expect((await second!.answer()).body).toBe('for this one');
    expect((await first!.answer()).body).toBe('for the other');
  });

  it('say what they have when their length was a lie', async () => {
    const handler = (_req: unknown, res: ServerResponse) => {
      res.strictContentLength = true;
      res.setHeader('content-length', 3);
      res.setHeader('connection', 'close');
      try {
        res.end('hello');
      } catch (error) {
        res.emit('test-error', error);
        res.destroy();
      }
    };
    const ends = await Promise.all(
      [await bare(handler), await guarded(handler)].map((client) => {
        client.get();
        return client.answer().then(
          ({ status }) => status,
          () => 'closed',
        );
      }),
    );
    expect(ends[1]).toEqual(ends[0]);
  });
});
