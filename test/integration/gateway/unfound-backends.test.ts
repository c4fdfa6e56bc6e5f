import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { until } from '../client/until.js';
import { EchoBackend } from './echo-backend.js';
import { LoggingGateway } from './logging/logging-gateway.js';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

it('the log says why backends cannot be found, and when they are', async () => {
  const backend = await EchoBackend.start();
  stops.push(() => backend.stop());
  const gateway = await LoggingGateway.start(`
services:
  listed: { backends: { file: FOLDER/backends.json } }
  named: { backends: { dns: "http://nope.invalid" } }
routes:
  - { path: /named/*, to: named }
  - { to: listed }
`);
  stops.push(() => gateway.stop());
  const lines = (named: string) => gateway.lines.filter(({ service }) => service === named);
  await until('both', () => lines('listed').length > 0 && lines('named').length > 0);
  expect(lines('listed')[0]).toMatchObject({
    ...{
      level: 'error',
      msg: 'backends cannot be found',
      known: 0,
      reason: expect.stringContaining('ENOENT'),
    },
  });
  expect(lines('named')[0]).toMatchObject({ reason: expect.stringMatching(/nope\.invalid: query/) });
  const file = join(gateway.folder, 'backends.json');
  writeFileSync(file, JSON.stringify([backend.url]));
  await until('found', () => lines('listed').some(({ msg }) => msg === 'backends are found again'));
  writeFileSync(file, '[');
  await until('garbage', () => lines('listed').some(({ level }) => level === 'warn'));
  expect(lines('listed').at(-1)).toMatchObject({
    ...{ msg: 'backends cannot be looked up, those known hold on', known: 1 },
  });
  rmSync(file);
  expect((await gateway.ask('/')).status).toBe(200);
});
