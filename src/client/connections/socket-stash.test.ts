import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeSocket } from './fake-socket.contract.js';
import { type ConnectOptions, type Connector, SocketStash } from './socket-stash.js';

/** Whatever the reason. */
function closed(socket: FakeSocket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve));
}

const TARGET = { protocol: 'http:', hostname: 'a', host: 'a:1', port: '1' } as ConnectOptions;
const SECURE = { ...TARGET, protocol: 'https:' } as ConnectOptions;

/** A stash whose connections open when the test says so. */
function setUp(target = TARGET) {
  const told: string[] = [];
  const asked: { options: ConnectOptions; answer: Parameters<Connector>[1] }[] = [];
  const connector = ((options: ConnectOptions, answer: Parameters<Connector>[1]) => {
    asked.push({ options, answer });
  }) as unknown as Connector;
  const stash = new SocketStash(connector, target, {
    onConnected: () => told.push('connected'),
    onConnectFailed: ({ message }) => told.push(`failed: ${message}`),
    onClosed: (open, isExpected) => told.push(`closed ${open} ${isExpected ? 'expected' : 'broken'}`),
    onGoAway: () => told.push('goaway'),
    onGreeted: (greeting) => told.push(`greeted: ${greeting}`),
  });
  const open = (socket = new FakeSocket()) => {
    asked.shift()!.answer(null, socket as unknown as Socket);
    return socket;
  };
  const refuse = () => asked.shift()!.answer(new Error('refused'), null);
  /** What undici asks for. */
  const connect = (options = target) => {
    const given: { error: Error | null; socket: unknown }[] = [];
    stash.connect(options, (...[error, socket]) => given.push({ error, socket }));
    return given;
  };
  return { stash, told, asked, open, refuse, connect };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a connection opened before it is needed', () => {
  it('is opened once, and does not keep the process alive', () => {
    const { stash, told, asked, open } = setUp();
    stash.warm();
    stash.warm();
    expect(asked).toHaveLength(1);
    expect(asked[0]!.options).toBe(TARGET);
    const socket = open();
    expect(told).toEqual(['connected']);
    expect(stash.open).toBe(1);
    expect(socket.isRefed).toBe(false);
    stash.warm();
    expect(asked).toHaveLength(0);
  });

  it('is given to the first request, though not before that has been told to wait, and to no other', async () => {
    const { stash, asked, open, connect } = setUp();
    stash.warm();
    const socket = open();
    const given = connect();
    expect(given).toEqual([]);
    await Promise.resolve();
    expect(given).toEqual([{ error: null, socket }]);
    expect(socket.isRefed).toBe(true);
    expect(socket.listenerCount('readable')).toBe(0);
    connect();
    expect(asked).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is noticed when the other end closes it', async () => {
    const { stash, told, asked, open, connect } = setUp();
    stash.warm();
    const socket = open();
    socket.receive(null);
    await closed(socket);
    expect(told).toEqual(['connected', 'closed 0 broken']);
    expect(stash.open).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    connect();
    expect(asked).toHaveLength(1);
  });

  it('is not used when the other end says something that nobody asked for', async () => {
    const { stash, told, open } = setUp();
    stash.warm();
    const socket = open();
    socket.receive('HTTP/1.1 408 Request Timeout\r\n\r\n');
    await closed(socket);
    expect(told).toEqual(['connected', 'closed 0 broken']);
  });

  it('may fail without harm', async () => {
    const { stash, told, open } = setUp();
    stash.warm();
    const socket = open();
    socket.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    await closed(socket);
    expect(told).toEqual(['connected', 'closed 0 broken']);
  });

  it('is closed after 20 s in which nobody needed it, which says nothing of the backend', async () => {
    const { stash, told, open } = setUp();
    stash.warm();
    const socket = open();
    vi.advanceTimersByTime(19_999);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    await closed(socket);
    expect(told).toEqual(['connected', 'closed 0 expected']);
  });

  it('is not kept where the server speaks first, as with HTTP/2: nobody here could answer', async () => {
    const { stash, told, asked, open, connect } = setUp(SECURE);
    stash.warm();
    const socket = new FakeSocket();
    socket.alpnProtocol = 'h2';
    open(socket);
    await closed(socket);
    expect(told).toEqual(['connected', 'closed 0 expected']);
    connect();
    expect(asked).toHaveLength(1);
  });

  it('is not used for another name than its certificate was checked for', async () => {
    const { stash, told, asked, open, connect } = setUp(SECURE);
    stash.warm();
    const socket = new FakeSocket();
    socket.servername = 'orders.test';
    open(socket);
    const other = { ...SECURE, servername: 'mail.test' } as ConnectOptions;
    connect(other);
    expect(asked[0]!.options).toBe(other);
    await closed(socket);
    // We closed it: no reason to doubt the backend.
    expect(told).toEqual(['connected', 'closed 0 expected']);
  });

  it('is used for the same name, and where no name is asked for', async () => {
    for (const asking of [{ ...SECURE, servername: 'orders.test' }, SECURE]) {
      const { stash, open, connect } = setUp(SECURE);
      stash.warm();
      const socket = new FakeSocket();
      socket.servername = 'orders.test';
      open(socket);
      const given = connect(asking as ConnectOptions);
      await Promise.resolve();
      expect(given).toEqual([{ error: null, socket }]);
    }
  });
});

describe('a connection for a request', () => {
  it('is there before it is told of: whoever waited for one finds it', () => {
    const { stash, told, open, asked } = setUp();
    stash.connect(TARGET, () => {
      told.push('given');
    });
    expect(asked).toHaveLength(1);
    open();
    expect(told).toEqual(['given', 'connected']);
  });

  it('that fails is told of before the request hears: that one looks for another backend at once', () => {
    const { stash, told, refuse } = setUp();
    stash.connect(TARGET, (...[error]) => {
      told.push(`given ${error?.message}`);
    });
    refuse();
    expect(told).toEqual(['failed: refused', 'given refused']);
    expect(stash.open).toBe(0);
  });

  it('counts until it is closed, and is closed for our reasons or for others', async () => {
    const { stash, told, open, connect } = setUp();
    const sockets = [1, 2, 3].map(() => {
      connect();
      const socket = open();
      socket.on('error', () => {});
      return socket;
    });
    expect(stash.open).toBe(3);
    const codes = ['UND_ERR_INFO', 'UND_ERR_DESTROYED', 'UND_ERR_SOCKET'];
    for (const [at, code] of codes.entries()) {
      sockets[at]!.destroy(Object.assign(new Error(code), { code }));
      await closed(sockets[at]!);
    }
    expect(told.slice(3)).toEqual(['closed 2 expected', 'closed 1 expected', 'closed 0 broken']);
  });

  it('that ends since nobody answered in time is followed by one that shows whether the machine is there', async () => {
    const { told, asked, open, connect, refuse } = setUp();
    const [first, second] = [1, 2].map(() => {
      connect();
      const socket = open();
      socket.on('error', () => {});
      return socket;
    }) as [FakeSocket, FakeSocket];
    const late = (code: string) => Object.assign(new Error(code), { code });
    first.destroy(late('UND_ERR_HEADERS_TIMEOUT'));
    await closed(first);
    expect(asked).toHaveLength(0);
    second.destroy(late('UND_ERR_BODY_TIMEOUT'));
    await closed(second);
    expect(told.slice(2)).toEqual(['closed 1 expected', 'closed 0 expected']);
    expect(asked).toHaveLength(1);
    refuse();
    expect(told.at(-1)).toBe('failed: refused');
  });
});

describe('a connection that the server ends', () => {
  const goAway = (code: number) =>
    Object.assign(new Error(`HTTP/2: "GOAWAY" frame received with code ${code}`), { code: 'UND_ERR_SOCKET' });

  function opened() {
    const all = setUp(SECURE);
    all.connect();
    const socket = all.open();
    socket.on('error', () => {});
    return { ...all, socket };
  }

  it('gracefully is told of before its end, which is no news then', async () => {
    const { told, socket } = opened();
    socket.destroy(goAway(0));
    await closed(socket);
    expect(told).toEqual(['connected', 'goaway', 'closed 0 expected']);
  });

  it('with an error is broken', async () => {
    const { told, socket } = opened();
    socket.destroy(goAway(11));
    await closed(socket);
    expect(told).toEqual(['connected', 'closed 0 broken']);
  });

  it('after we let go of it says nothing', async () => {
    const { stash, told, socket } = opened();
    stash.close();
    socket.destroy(goAway(0));
    await closed(socket);
    expect(told).toEqual(['connected', 'closed 0 expected']);
  });
});

describe('a greeting', () => {
  it('has a connection of its own, which is not kept and does not count', async () => {
    const { stash, told, asked, open } = setUp(SECURE);
    stash.greet();
    stash.greet();
    stash.warm();
    expect(asked).toHaveLength(1);
    expect(asked[0]!.options).toBe(SECURE);
    const socket = open();
    await closed(socket);
    expect(told).toEqual(['greeted: welcome']);
    expect(stash.open).toBe(0);
    stash.greet();
    expect(asked).toHaveLength(1);
  });

  it('may fail for want of a connection, and be tried again', () => {
    const { stash, told, asked, refuse } = setUp(SECURE);
    stash.greet();
    refuse();
    expect(told).toEqual(['failed: refused']);
    stash.greet();
    expect(asked).toHaveLength(1);
  });

  it('is not told of once the stash is closed, whenever that is', async () => {
    const before = setUp(SECURE);
    before.stash.greet();
    before.stash.close();
    await closed(before.open());
    const refused = setUp(SECURE);
    refused.stash.greet();
    refused.stash.close();
    refused.refuse();
    const between = setUp(SECURE);
    between.stash.greet();
    const socket = between.open();
    between.stash.close();
    await closed(socket);
    between.stash.greet();
    expect(between.asked).toHaveLength(0);
    expect([...before.told, ...refused.told, ...between.told]).toEqual([]);
  });
});

describe('trying again', () => {
  it('is possible after a failure', () => {
    const { stash, told, asked, refuse, open } = setUp();
    stash.warm();
    refuse();
    stash.warm();
    expect(asked).toHaveLength(1);
    open();
    expect(told).toEqual(['failed: refused', 'connected']);
  });
});

describe('close', () => {
  it('closes what is kept, what comes later, and opens nothing more', async () => {
    const { stash, told, asked, open } = setUp();
    stash.warm();
    const kept = open();
    stash.close();
    stash.close();
    await closed(kept);
    stash.warm();
    expect(asked).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
    const late = setUp();
    late.stash.warm();
    late.stash.close();
    const socket = late.open();
    await closed(socket);
    expect([...told, ...late.told].filter((each) => each.includes('broken'))).toEqual([]);
    expect(late.stash.open).toBe(0);
  });
});
