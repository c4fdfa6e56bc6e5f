import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { currentRequest, type Guard } from '../../../src/server/index.js';
import { GuardedServer, PATIENT } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';
import type { RawAnswer } from './raw-client.js';

/** A request that had to wait runs in somebody else's turn, and must find the async context of its own arrival. */

expectNoMishaps();

type Emit = (this: unknown, event: string, ...args: unknown[]) => boolean;

/** Answers with what `read` says at each point of a handler at which context is usually lost. */
function reporting(read: () => unknown) {
  return async (req: IncomingMessage, res: ServerResponse) => {
    const seen = [read()];
    for await (const _ of req) seen.push(read());
    seen.push(read());
    await sleep(1);
    seen.push(read());
    await turn();
    seen.push(read(), currentRequest()!.customer);
    await new Promise((resolve) => process.nextTick(resolve));
    seen.push(read());
    res.end(JSON.stringify(seen));
  };
}

let served: GuardedServer;
afterEach(async () => {
  await served.until(() => served.guard.snapshot().inFlight === 0);
  await served.stop();
});

/** Many at once, of which all but one wait, with and without a body; each has to see nothing but its own. */
async function expectOwn(expected: (path: string) => unknown): Promise<void> {
  const clients = Array.from({ length: 10 }, () => served.client());
  const ask = async (client: (typeof clients)[number], path: string) => {
    const lines = `host: x\r\nx-plimsoll-customer: ${path}\r\ncontent-length: 2`;
    // One that is refused, since others have waited for long, has seen nothing: it comes again.
    let answer: RawAnswer;
    do {
      client.send(`POST ${path} HTTP/1.1\r\n${lines}\r\n\r\nhi`);
      answer = await client.answer();
    } while (answer.status === 503);
    expect({ path, seen: new Set(JSON.parse(answer.body)) }).toEqual({
      path,
      seen: new Set([expected(path), path]),
    });
  };
  for (let round = 0; round < 3; round++)
    await Promise.all(clients.map((client, i) => ask(client, `/${round}/${i}`)));
}

function protectedServer(read: () => unknown) {
  return (guard: Guard) => {
    const server = createServer(guard.protect(reporting(read)));
    guard.attach(server);
    return server;
  };
}

describe("OpenTelemetry's context", () => {
  const SPAN = createContextKey('span');
  const readSpan = () => context.active().getValue(SPAN);
  const prototype = Server.prototype as unknown as { emit: Emit };
  const manager = new AsyncLocalStorageContextManager();
  beforeEach(() => {
    context.setGlobalContextManager(manager.enable());
  });
  afterEach(() => {
    expect(context.active()).toBe(ROOT_CONTEXT);
    context.disable();
    // Inherited again.
    Reflect.deleteProperty(prototype, 'emit');
  });

  /** As its instrumentation of http does: around the event of each request. */
  const traced = (emit: Emit): Emit =>
    function (event, ...args) {
      if (event !== 'request') return emit.call(this, event, ...args);
      expect(readSpan()).toBeUndefined();
      const span = `span of ${(args[0] as IncomingMessage).url}`;
      return context.with(ROOT_CONTEXT.setValue(SPAN, span), () => emit.call(this, event, ...args));
    };

  test('is kept when its instrumentation came first', async () => {
    prototype.emit = traced(prototype.emit);
    served = await GuardedServer.startServer(protectedServer(readSpan), PATIENT);
    await expectOwn((path) => `span of ${path}`);
    expect(served.guard.snapshot().counts.CRITICAL.ended).toBe(30);
  });

  test('is kept when its instrumentation came later', async () => {
    served = await GuardedServer.startServer(protectedServer(readSpan), PATIENT);
    prototype.emit = traced(prototype.emit);
    await expectOwn((path) => `span of ${path}`);
  });

  test('is kept when one server alone was instrumented', async () => {
    served = await GuardedServer.startServer((guard) => {
      const server = createServer(guard.protect(reporting(readSpan)));
      (server as unknown as { emit: Emit }).emit = traced(server.emit as Emit);
      guard.attach(server);
      return server;
    }, PATIENT);
    await expectOwn((path) => `span of ${path}`);
  });
});

describe('a store of AsyncLocalStorage', () => {
  const storage = new AsyncLocalStorage<string>();
  const readStore = () => storage.getStore();
  afterEach(() => expect(storage.getStore()).toBeUndefined());

  test('is kept when it is set around what is protected', async () => {
    served = await GuardedServer.startServer((guard) => {
      const listener = guard.protect(reporting(readStore));
      return createServer((req, res) => storage.run(`store of ${req.url}`, listener, req, res));
    }, PATIENT);
    await expectOwn((path) => `store of ${path}`);
  });

  test('is kept for the first request of a server, which is attached with it', async () => {
    let finish: () => void = () => {};
    served = await GuardedServer.start((_req, res) => {
      finish = () => res.end();
    }, PATIENT);
    const first = served.client();
    first.get('/');
    await served.until(() => served.guard.snapshot().gate.running === 1);
    const listener = served.guard.protect(reporting(readStore));
    const { guard } = served;
    const other = await GuardedServer.startServer(() =>
      createServer((req, res) => storage.run(`store of ${req.url}`, listener, req, res)),
    );
    const client = other.client();
    client.get('/second', 'x-plimsoll-customer: /second');
    await served.until(() => guard.snapshot().waiting === 1);
    finish();
    const seen = new Set(JSON.parse((await client.answer()).body));
    expect(seen).toEqual(new Set(['store of /second', '/second']));
    await other.stop();
  });

  test('is kept when it is entered as a request starts', async () => {
    const onStart = (message: unknown) =>
      storage.enterWith(`store of ${(message as { request: IncomingMessage }).request.url}`);
    served = await GuardedServer.startServer(protectedServer(readStore), PATIENT);
    subscribe('http.server.request.start', onStart);
    try {
      await expectOwn((path) => `store of ${path}`);
    } finally {
      unsubscribe('http.server.request.start', onStart);
    }
  });

  test('of whoever says ready is not that of those who were held', async () => {
    const onStart = (message: unknown) =>
      storage.enterWith(`store of ${(message as { request: IncomingMessage }).request.url}`);
    const options = { ...PATIENT, starting: true, holdMs: 60_000 };
    served = await GuardedServer.startServer(protectedServer(readStore), options);
    subscribe('http.server.request.start', onStart);
    try {
      const answers = expectOwn((path) => `store of ${path}`);
      await sleep(20);
      storage.run('of the start', () => served.guard.ready());
      await answers;
    } finally {
      unsubscribe('http.server.request.start', onStart);
    }
  });

  test('of one who leaves goes with it', async () => {
    served = await GuardedServer.startServer(protectedServer(readStore), PATIENT);
    await storage.run('of a caller', async () => {
      const client = served.client();
      client.get('/', 'x-plimsoll-customer: /');
      // The client's, which is in this process, and not the handler's.
      expect(new Set(JSON.parse((await client.answer()).body))).toEqual(new Set([null, '/']));
    });
  });
});
