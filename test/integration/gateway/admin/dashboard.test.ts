import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AdminServer } from '../../../../src/gateway/admin/admin-server.js';
import { gatewayTarget } from '../../../../src/gateway/index.js';
import { EchoBackend } from '../echo-backend.js';
import { RunningGateway } from '../running-gateway.js';
import { askAdmin, MARKER } from './ask-admin.js';

const TOKEN = 'a-token-of-some-length';
const BROWSER = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' };
const built = mkdtempSync(join(tmpdir(), 'plimsoll-page-'));
let backend: EchoBackend;
let running: RunningGateway;
const servers: AdminServer[] = [];

beforeAll(async () => {
  mkdirSync(join(built, 'assets'));
  writeFileSync(join(built, 'index.html'), '<!doctype html><title>Plimsoll</title>');
  writeFileSync(join(built, 'assets/index-01234567.js'), 'plain();');
  writeFileSync(join(built, 'assets/index-01234567.js.br'), 'packed');
  backend = await EchoBackend.start();
  running = await RunningGateway.start(`routes: [{ to: "${backend.url}" }]`);
});
afterEach(async () => {
  for (const each of servers.splice(0)) await each.close();
});
afterAll(async () => {
  await running.stop();
  await backend.stop();
  rmSync(built, { recursive: true, force: true });
});

async function start(token?: string, directory = built): Promise<number> {
  const { gateway } = running;
  const onError = (error: unknown) => expect.unreachable(String(error));
  const target = gatewayTarget(gateway, { reload: async () => {}, end: () => {}, onError });
  const server = new AdminServer(target, {
    address: '127.0.0.1:0',
    token: () => token,
    onError,
    dashboard: pathToFileURL(`${directory}/`),
  });
  servers.push(server);
  return (await server.listen()).port;
}

describe('the dashboard', () => {
  it.each([
    ['without a token', undefined],
    ['with one, before anybody has given it', TOKEN],
  ])('is shown %s', async (_, token) => {
    const port = await start(token);
    const root = await askAdmin(port, '/', { headers: BROWSER });
    expect(root).toMatchObject({ status: 302 });
    expect(root.headers).toMatchObject({ location: 'dashboard/', 'cache-control': 'no-store' });
    const page = await askAdmin(port, '/dashboard/', { headers: BROWSER });
    expect(page).toMatchObject({ status: 200, text: '<!doctype html><title>Plimsoll</title>' });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
    // A link on a page of somebody else.
    const linked = { ...BROWSER, 'sec-fetch-site': 'cross-site' };
    expect((await askAdmin(port, '/dashboard/', { headers: linked })).status).toBe(200);
    const known = { 'if-none-match': page.headers.etag! };
    const again = await askAdmin(port, '/dashboard/', { headers: known });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers['content-length']).toBeUndefined();
  });

  it('comes packed, and by HEAD without its body', async () => {
    const port = await start();
    const path = '/dashboard/assets/index-01234567.js';
    const packed = await askAdmin(port, path, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(packed).toMatchObject({ status: 200, text: 'packed' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'br', 'content-length': '6' });
    const head = await askAdmin(port, path, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers).toMatchObject({ 'content-length': '8', vary: 'accept-encoding' });
    const post = await askAdmin(port, path, { method: 'POST', headers: MARKER });
    expect(post.status).toBe(405);
  });

  it('is not shown by a name that others chose', async () => {
    const port = await start();
    for (const path of ['/', '/dashboard', '/dashboard/', '/dashboard/assets/index-01234567.js']) {
      const rebound = { ...BROWSER, host: `evil.example:${port}` };
      expect((await askAdmin(port, path, { headers: rebound })).status).toBe(403);
    }
    const withToken = await start(TOKEN);
    const named = { ...BROWSER, host: 'gateway.internal' };
    expect((await askAdmin(withToken, '/dashboard/', { headers: named })).status).toBe(200);
    expect((await askAdmin(withToken, '/snapshot', { headers: named })).status).toBe(401);
  });

  it('has nothing but its files', async () => {
    const port = await start();
    for (const name of [
      '../package.json',
      '%2e%2e/package.json',
      'assets/',
      'assets%2f..%2findex.html',
      'none',
    ])
      expect((await askAdmin(port, `/dashboard/${name}`)).status).toBe(404);
  });

  it('is not there when it was not built, and the rest of the port is', async () => {
    const port = await start(undefined, join(built, 'none'));
    const page = await askAdmin(port, '/dashboard/', { headers: BROWSER });
    expect(page.status).toBe(503);
    expect(page.json()['detail']).toContain('npm run build');
    expect((await askAdmin(port, '/', { headers: { accept: '*/*' } })).text).toContain('/metrics');
  });
});
