import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { EchoBackend } from '../echo-backend.js';
import { MARKER } from './ask-admin.js';
import { EventReader } from './event-reader.js';
import { RunningAdmin } from './running-admin.js';

const KEY = 's3cret-api-key';
const TOKEN = 's3cret-admin-token';
const hash = createHash('sha256').update(KEY).digest('hex');

it('tells nobody a secret', async () => {
  const backend = await EchoBackend.start();
  const admin = await RunningAdmin.start(
    `
redis: redis://bob:s3cret-redis@127.0.0.1:1
identity:
  apiKeys: { keys: { "sha256:${hash}": acme } }
  jwt: { secret: s3cret-of-tokens-with-32-bytes-or-more, algorithms: [HS256] }
services: { s: { backends: ["${backend.url}"] } }
limits: { by-key: { rate: 1/min, key: api-key }, by-token: { rate: 1/min, key: "header:authorization" } }
routes:
  - name: all
    path: /all
    to: s
    limits: [by-key, by-token]
    headers: { x-origin-secret: s3cret-origin }
    requestHeaders: { set: { authorization: Basic s3cret-basic } }
  - { name: jobs, path: /jobs, to: s, batch: { job: "header:x-api-key" } }
`,
    `admin: { address: "127.0.0.1:0", token: ${TOKEN} }`,
  );
  const bearer = { authorization: `Bearer ${TOKEN}` };
  try {
    const { gateway } = admin.running;
    const reader = await EventReader.open(admin.port, '/events', bearer);
    const headers = {
      'x-api-key': KEY,
      authorization: 'Bearer s3cret-jwt',
      'x-origin-secret': 's3cret-origin',
    };
    for (const path of ['/all?token=s3cret-query', '/jobs?token=s3cret-query'])
      for (let i = 0; i < 2; i++) await admin.running.ask(path, { headers });
    gateway.settingsFailed(new Error('admin: must be a mapping, got "s3cret-mistake"'));
    gateway.settingsFailed(new Error('cannot reach redis://bob:s3cret-redis@a:6379'));
    const shown: string[] = [];
    for (const path of ['/', '/metrics', '/snapshot', '/config', '/queue', '/none', '/limits/by-key?key=x'])
      shown.push((await admin.ask(path, { headers: bearer })).text);
    const tries = [
      await admin.ask('/snapshot', { headers: { authorization: 'Bearer s3cret-guess' } }),
      await admin.ask('/none?token=s3cret-guess', { headers: bearer }),
      await admin.ask('/limits/s?token=s3cret-guess', { headers: bearer }),
      await admin.ask('/reload?token=s3cret-guess', { method: 'POST', headers: { ...bearer, ...MARKER } }),
    ];
    shown.push(...tries.map(({ text, headers: answered }) => text + JSON.stringify(answered)));
    await reader.hears('reload-failed', 2);
    await reader.hears('snapshot', 2);
    shown.push(JSON.stringify(reader.told));
    reader.close();
    for (const text of shown) {
      expect(text).not.toContain('s3cret');
      expect(text).not.toContain('bob');
    }
    expect(shown.join()).toContain('by-token');
    expect(shown.join()).toContain('sha256:');
  } finally {
    await admin.stop();
    await backend.stop();
  }
});
