import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EchoBackend } from '../echo-backend.js';
import { MARKER } from './ask-admin.js';
import { RunningAdmin } from './running-admin.js';

const TOKEN = 'a-token-of-some-length';
const BEARER = { authorization: `Bearer ${TOKEN}` };
let backend: EchoBackend;
const started: RunningAdmin[] = [];

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterEach(async () => {
  for (const each of started.splice(0)) await each.stop();
});
afterAll(() => backend.stop());

async function start(admin?: string): Promise<RunningAdmin> {
  const made = await RunningAdmin.start(`routes: [{ to: "${backend.url}" }]`, admin);
  started.push(made);
  return made;
}

describe('an admin port without a token', () => {
  it('answers this machine by its own names alone', async () => {
    const admin = await start();
    expect((await admin.ask('/snapshot')).status).toBe(200);
    expect((await admin.ask('/snapshot', { headers: { host: 'localhost:1' } })).status).toBe(200);
    const rebound = await admin.ask('/snapshot', { headers: { host: `evil.example:${admin.port}` } });
    expect(rebound).toMatchObject({ status: 403 });
    expect(rebound.headers['content-type']).toBe('application/problem+json');
    expect(rebound.json()).toMatchObject({ status: 403, detail: expect.stringContaining('admin.token') });
    expect((await admin.ask('/healthz', { headers: { host: 'evil.example' } })).status).toBe(200);
  });

  it('changes nothing for a page', async () => {
    const admin = await start();
    for (const path of ['/lame-duck', '/drain', '/reload']) {
      const answer = await admin.ask(path, { method: 'POST' });
      expect(answer).toMatchObject({ status: 403 });
      expect(answer.json()['detail']).toContain('x-plimsoll-admin: 1');
    }
    expect((await admin.ask('/limits/a?key=b', { method: 'DELETE' })).status).toBe(403);
    expect((await admin.ask('/reload', { method: 'POST', headers: MARKER })).status).toBe(200);
    const origin = { ...MARKER, origin: 'https://evil.example' };
    expect((await admin.ask('/reload', { method: 'POST', headers: origin })).status).toBe(403);
    expect(admin.running.gateway.state).toBe('ready');
    expect(admin.running.gateway.snapshot().reloads).toBe(1);
  });

  it('listens nowhere else', async () => {
    const given = 'admin: { address: "0.0.0.0:0" }';
    await expect(start(given)).rejects.toThrow('needs a token where others can reach it');
  });
});

describe('an admin port with a token', () => {
  const settings = `admin: { address: "0.0.0.0:0", token: ${TOKEN} }`;

  it('answers those who have it, by any name; and probes', async () => {
    const admin = await start(settings);
    expect((await admin.ask('/snapshot')).status).toBe(401);
    expect((await admin.ask('/none')).status).toBe(401);
    expect((await admin.ask('/snapshot', { headers: { authorization: `Bearer ${TOKEN}x` } })).status).toBe(
      401,
    );
    const headers = { ...BEARER, host: 'gateway.internal' };
    expect((await admin.ask('/snapshot', { headers })).status).toBe(200);
    expect((await admin.ask('/drain', { method: 'POST', headers: MARKER })).status).toBe(401);
    expect((await admin.ask('/drain', { method: 'POST', headers: BEARER })).status).toBe(403);
    for (const probe of ['/healthz', '/readyz']) expect((await admin.ask(probe)).status).toBe(200);
  });

  it('may get another one while it runs', async () => {
    const admin = await start(settings);
    const next = settings.replace(TOKEN, 'quite-another-token');
    await admin.running.reload(`routes: [{ to: "${backend.url}" }]\n${next}`);
    expect((await admin.ask('/snapshot', { headers: BEARER })).status).toBe(401);
    const headers = { authorization: 'Bearer quite-another-token' };
    expect((await admin.ask('/snapshot', { headers })).status).toBe(200);
    const moved = next.replace('0.0.0.0:0', '127.0.0.1:0');
    await expect(admin.running.reload(`routes: [{ to: "${backend.url}" }]\n${moved}`)).rejects.toThrow(
      'admin.address: changed, and this takes a restart',
    );
  });
});

describe('answers of an admin port', () => {
  it('are plain, and kept by nobody', async () => {
    const admin = await start();
    const head = await admin.ask('/metrics', { method: 'HEAD' });
    expect(head.text).toBe('');
    expect(Number(head.headers['content-length'])).toBeGreaterThan(1_000);
    for (const path of ['/', '/metrics', '/none']) {
      const { headers } = await admin.ask(path);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    }
    expect((await admin.ask('/none')).status).toBe(404);
    const wrong = await admin.ask('/snapshot', { method: 'DELETE', headers: MARKER });
    expect(wrong).toMatchObject({ status: 405 });
    expect(wrong.headers['allow']).toBe('GET, HEAD');
    expect((await admin.ask('/')).text).toContain('/limits/{rule}');
    expect(admin.errors).toEqual([]);
  });

  it('are given to short questions alone', async () => {
    const admin = await start();
    const long = await admin.ask('/reload', { method: 'POST', headers: MARKER, body: 'x'.repeat(100_000) });
    expect(long.status).toBe(413);
    const big = await admin.ask('/snapshot', { headers: { 'x-long': 'x'.repeat(10_000) } });
    expect(big.status).toBe(431);
  });

  it('are not given to those who say nothing', async () => {
    const admin = await start();
    const socket = connect(admin.port, '127.0.0.1');
    socket.resume().on('error', () => {});
    const begun = performance.now();
    await new Promise((resolve) => socket.on('close', resolve));
    expect(performance.now() - begun).toBeLessThan(15_000);
  });
});
