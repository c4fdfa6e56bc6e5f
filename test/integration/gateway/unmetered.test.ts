import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoMishaps } from '../server/mishaps.js';
import { EchoBackend } from './echo-backend.js';
import { RunningGateway } from './running-gateway.js';

expectNoMishaps();

const SECRET = 'a secret of the tests that is as long as it has to be';

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-unmetered-'));
let backend: EchoBackend;
let gateway: RunningGateway;

beforeAll(async () => {
  writeFileSync(join(folder, 'quota.yaml'), 'unit: requests\neveryoneElse: { requests: 1000 }\n');
  backend = await EchoBackend.start();
  gateway = await RunningGateway.start(
    `
quota: { file: quota.yaml }
trustedCallers: [127.0.0.0/8]
identity:
  header: { name: x-user, from: [127.0.0.0/8] }
  jwt: { secret: "${SECRET}", claim: name }
routes:
  - { path: /free, to: "${backend.url}", quota: false }
  - { path: /known, to: "${backend.url}", identity: required }
  - { to: "${backend.url}" }
`,
    { directory: folder },
  );
});
afterAll(async () => {
  await gateway.stop();
  await backend.stop();
  rmSync(folder, { recursive: true, force: true });
});

const counted = () => {
  const { customers } = gateway.gateway.snapshot().guard;
  return Object.fromEntries(Object.entries(customers).map(([name, { started }]) => [name, started]));
};

it('lets nobody go without a quota by a name', async () => {
  const token = await new SignJWT({ name: '(no quota)' })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(SECRET));
  const names: Record<string, string>[] = [
    { authorization: `Bearer ${token}` },
    { 'x-user': '(no%20quota)' },
    { 'x-plimsoll-customer': '(no%20quota)' },
  ];
  for (const headers of names) {
    // A token is known before it is let in from the second time on.
    for (let i = 0; i < 3; i++) {
      const answer = await gateway.ask('/', { headers });
      expect(answer.json().headers['x-plimsoll-customer']).toBe('anonymous');
    }
    expect((await gateway.ask('/known', { headers })).status).toBe(401);
  }
  expect(counted()).toEqual({ anonymous: 12 });
  expect((await gateway.ask('/free')).json().headers['x-plimsoll-customer']).toBe('anonymous');
  expect(counted()).toEqual({ anonymous: 12, '(no quota)': 1 });
});
