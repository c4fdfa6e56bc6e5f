import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UdpHealth, type UdpHealthOptions } from '../../../src/server/health/index.js';
import { DATAGRAM_BYTES } from '../../../src/wire/index.js';
import { FakeSource, until } from './fake-source.js';
import { UdpClient } from './udp-client.js';

let source: FakeSource;
let health: UdpHealth;
let client: UdpClient;
let errors: Error[];

async function start(
  host: string | undefined = '127.0.0.1',
  options?: Partial<UdpHealthOptions>,
): Promise<number> {
  health = new UdpHealth(source, (error) => errors.push(error), options);
  expect(await health.listen(0, host)).toBe(true);
  return health.snapshot().port!;
}

beforeEach(async () => {
  source = new FakeSource();
  errors = [];
  client = new UdpClient(await start());
});

afterEach(async () => {
  client.close();
  await health.close();
  expect(errors).toEqual([]);
});

describe('a health check', () => {
  it('is answered with state, load and the token that was sent', async () => {
    const answer = await client.ask();
    expect(answer).toMatchObject({ state: 'ready', report: { inFlight: 3, requestsPerSecond: 20 } });
    expect(client.token.equals(answer.token)).toBe(true);
    source.become('lame-duck');
    source.report = { inFlight: 0 };
    expect(await client.ask()).toMatchObject({ state: 'lame-duck', report: { inFlight: 0 } });
  });

  it('is answered by as many bytes as it has', async () => {
    for (let i = 0; i < 5; i++) await client.ask();
    expect(client.received.map(({ length }) => length)).toEqual(Array(5).fill(DATAGRAM_BYTES));
    const { bytesIn, bytesOut } = health.snapshot();
    expect(bytesOut).toBeLessThanOrEqual(bytesIn);
  });

  it.each([undefined, '', '::', '0.0.0.0'])('is answered when the host is %j', async (host) => {
    await health.close();
    client.close();
    client = new UdpClient(await start(host));
    expect((await client.ask()).state).toBe('ready');
  });

  it('is answered where a name leads to', async () => {
    await health.close();
    expect(await start('localhost')).toBeGreaterThan(0);
  });
});

describe('garbage', () => {
  it('is answered by nothing, and does no harm', async () => {
    const check = Buffer.from('504c494d01000100', 'hex');
    const garbage = [
      Buffer.alloc(0),
      ...Array.from({ length: 40 }, (_, i) => randomBytes(i * 4)),
      Buffer.concat([check, randomBytes(DATAGRAM_BYTES - check.length - 1)]),
      Buffer.concat([check, randomBytes(DATAGRAM_BYTES - check.length + 1)]),
      Buffer.concat([Buffer.from('504c494d0101', 'hex'), randomBytes(DATAGRAM_BYTES - 6)]),
      Buffer.concat([Buffer.from('504c494d0102', 'hex'), randomBytes(DATAGRAM_BYTES - 6)]),
      randomBytes(9_000),
      randomBytes(60_000),
    ];
    for (const bytes of garbage) client.send(bytes);
    await until(() => health.snapshot().garbage === garbage.length);
    expect(await client.ask()).toMatchObject({ state: 'ready' });
    expect(client.received).toHaveLength(1);
    expect(health.snapshot()).toMatchObject({ answered: 1, bytesOut: DATAGRAM_BYTES, knownClients: 0 });
  });
});

describe('a forger', () => {
  it('is not told of changes: a cookie is good for one address only', async () => {
    const forger = new UdpClient(health.snapshot().port!);
    await client.ask();
    await forger.ask({ cookie: client.cookie });
    await forger.ask({ cookie: randomBytes(8) });
    expect(health.snapshot()).toMatchObject({ knownClients: 0, badCookies: 2 });
    source.become('lame-duck');
    expect(health.snapshot().pushed).toBe(0);
    forger.close();
  });

  it('cannot acknowledge for another', async () => {
    const forger = new UdpClient(health.snapshot().port!);
    await client.register();
    await forger.register();
    const pushed = client.next((datagram) => datagram.kind === 'push');
    source.become('lame-duck');
    const push = await pushed;
    forger.sendDatagram({ kind: 'ack', sequence: push.sequence, token: client.token });
    forger.sendDatagram({ kind: 'ack', sequence: push.sequence, token: client.token, cookie: client.cookie });
    client.sendDatagram({ kind: 'ack', sequence: push.sequence, token: forger.token });
    client.sendDatagram({ kind: 'ack', sequence: push.sequence + 1 });
    await until(() => health.snapshot().badAcks === 4);
    expect(health.snapshot().acknowledged).toBe(0);
    forger.close();
  });

  it('gets so many answers a turn without proof', async () => {
    for (let i = 0; i < 60; i++) client.sendDatagram({ sequence: i });
    await until(() => health.snapshot().answered + health.snapshot().overBudget === 60);
    const { overBudget, bytesOut, bytesIn } = health.snapshot();
    expect(overBudget).toBeGreaterThan(0);
    expect(bytesOut).toBeLessThan(bytesIn);
  });
});

describe('a change of state', () => {
  it('is pushed at once to who is known, with the token', async () => {
    await client.register();
    const pushed = client.next((datagram) => datagram.kind === 'push');
    source.become('lame-duck');
    // Before this turn is over: nothing has to wait for a timer.
    expect(health.snapshot().pushed).toBe(1);
    const push = await pushed;
    expect(push.state).toBe('lame-duck');
    expect(client.token.equals(push.token)).toBe(true);
  });

  it('is pushed again until it is acknowledged', async () => {
    const silent = new UdpClient(health.snapshot().port!);
    await client.register();
    await silent.register();
    const pushed = client.next((datagram) => datagram.kind === 'push');
    source.become('lame-duck');
    client.acknowledge(await pushed);
    await until(() => health.snapshot().acknowledged === 1);
    const pushes = () => silent.received.filter((bytes) => bytes[5] === 2);
    await until(() => pushes().length === 4);
    expect(health.snapshot().pushed).toBeLessThanOrEqual(4 + 1);
    silent.close();
  });

  it('is pushed to all, so many a turn', async () => {
    client.close();
    await health.close();
    client = new UdpClient(await start('127.0.0.1', { pushesPerTurn: 2, pushDelaysMs: [0], maxClients: 6 }));
    const clients = Array.from({ length: 7 }, () => new UdpClient(health.snapshot().port!));
    for (const each of clients) await each.register();
    expect(health.snapshot().knownClients).toBe(6);
    const told = clients.slice(1).map((each) => each.next((datagram) => datagram.kind === 'push'));
    source.become('lame-duck');
    expect(health.snapshot().pushed).toBe(2);
    expect((await Promise.all(told)).map(({ state }) => state)).toEqual(Array(6).fill('lame-duck'));
    for (const each of clients) each.close();
  });

  it('is pushed by timers alone when it is to be', async () => {
    client.close();
    await health.close();
    client = new UdpClient(await start('127.0.0.1', { pushDelaysMs: [1] }));
    await client.register();
    const pushed = client.next((datagram) => datagram.kind === 'push');
    health.push();
    expect(health.snapshot().pushed).toBe(0);
    expect((await pushed).state).toBe('ready');
  });

  it('is not pushed after the end', async () => {
    await client.register();
    source.become('lame-duck');
    await health.close();
    source.become('closed');
    expect(health.snapshot()).toMatchObject({ pushed: 1, port: undefined });
  });
});

describe('a port that cannot be had', () => {
  it('is reported, and no more', async () => {
    const other = createSocket('udp4').bind(0, '127.0.0.1');
    await once(other, 'listening');
    const failed: Error[] = [];
    const second = new UdpHealth(source, (error) => failed.push(error));
    expect(await second.listen(other.address().port, '127.0.0.1')).toBe(false);
    expect(failed).toMatchObject([{ code: 'EADDRINUSE' }]);
    expect(await second.listen(0, 'no-such-host.invalid')).toBe(false);
    expect(failed).toHaveLength(2);
    source.become('lame-duck');
    expect(second.snapshot()).toMatchObject({ port: undefined, pushed: 0 });
    await second.close();
    other.close();
  });

  it('is given back when it was closed meanwhile', async () => {
    const second = new UdpHealth(source, (error) => errors.push(error));
    const listening = second.listen(0, '127.0.0.1');
    await second.close();
    expect(await listening).toBe(false);
    expect(second.snapshot().port).toBeUndefined();
  });
});
