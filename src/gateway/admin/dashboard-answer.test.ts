import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dashboardAnswer, wantsPage } from './dashboard-answer.js';
import { DashboardFiles } from './dashboard-files.js';

let directory: string;
let files: DashboardFiles;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plimsoll-dashboard-'));
  files = new DashboardFiles(pathToFileURL(`${directory}/`));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function build(): void {
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<!doctype html>');
  writeFileSync(join(directory, 'assets/index-DNMWC-5m.js'), 'plain');
  writeFileSync(join(directory, 'assets/index-DNMWC-5m.js.br'), 'packed by br');
  writeFileSync(join(directory, 'assets/index-DNMWC-5m.js.gz'), 'packed by gz');
  writeFileSync(join(directory, 'LICENSE'), 'no type');
}

const SCRIPT = 'assets/index-DNMWC-5m.js';
const get = (name: string, headers = {}) => dashboardAnswer(files, name, headers);

describe('the page', () => {
  it('is there with what keeps it to itself', async () => {
    build();
    const page = await get('');
    expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    expect(String(page.body)).toBe('<!doctype html>');
    expect(page.headers).toMatchObject({
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
      ),
    });
    expect(page.headers!['content-security-policy']).not.toContain('unsafe');
  });

  it('is not sent again to those who have it', async () => {
    build();
    const { etag } = (await get('')).headers!;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect(await get('', { 'if-none-match': known })).toMatchObject({ status: 304, body: '' });
    expect(await get('', { 'if-none-match': '"other"' })).toMatchObject({ status: 200 });
  });

  it('says that it is not built, until it is', async () => {
    const missing = await get('');
    expect(missing.status).toBe(503);
    expect(missing.body).toContain('npm run build');
    build();
    expect((await get('')).status).toBe(200);
  });
});

describe('its files', () => {
  it.each([
    ['br, gzip', 'br', 'packed by br'],
    ['gzip, deflate, br;q=0', 'gzip', 'packed by gz'],
    ['GZIP;q=0.5', 'gzip', 'packed by gz'],
    ['identity', undefined, 'plain'],
    ['', undefined, 'plain'],
  ])('come as %j wants them', async (accepted, coding, body) => {
    build();
    const answer = await get(SCRIPT, { 'accept-encoding': accepted });
    expect(String(answer.body)).toBe(body);
    expect(answer.type).toBe('text/javascript; charset=utf-8');
    expect(answer.headers!['content-encoding']).toBe(coding);
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
  });

  it('have a mark for each form', async () => {
    build();
    const etags = await Promise.all(
      ['br', 'gzip', ''].map(async (accepted) => {
        const { headers } = await get(SCRIPT, { 'accept-encoding': accepted });
        return headers!['etag'];
      }),
    );
    expect(new Set(etags).size).toBe(3);
  });

  it.each([
    '../index.html',
    'assets/../index.html',
    'assets',
    'assets/',
    'LICENSE',
    `${SCRIPT}.br`,
    '/etc/passwd',
    'index.html\0',
    'constructor',
  ])('are no %j', async (name) => {
    build();
    expect(await get(name)).toMatchObject({ status: 404 });
  });
});

it.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['application/json, text/html', true],
  ['TEXT/HTML;q=0.9', true],
  ['*/*', false],
  ['text/html-like', false],
])('whoever accepts %s wants a page: %s', (accept, wants) => expect(wantsPage({ accept })).toBe(wants));
