import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { OverflowQueueOptions, Perform } from '../../../src/rate-limit/queueing/index.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { accepted, aQueue, aRedis, contents, endAfterEach, until } from './queue-bed.js';

expectNoMishaps();
endAfterEach();

const SECRETS = ['s3cret-token', 's3cret-cookie', 's3cret-key', 's3cret-own', 's3cret-session'];
const HEADERS = [
  ...['Authorization', 'Bearer s3cret-token', 'cookie', 'sid=s3cret-cookie', 'X-Api-Key', 's3cret-key'],
  ...['x-own', 's3cret-own', 'accept', 'text/plain', 'connection', 'x-hop', 'x-hop', 'for the next hop'],
];

/** Queues a request with secrets, looks at Redis before and after it is performed, and gives what the performer saw. */
async function trial(options: Partial<OverflowQueueOptions>) {
  const redis = await aRedis();
  const seen: (readonly string[])[] = [];
  const perform: Perform = async ({ headers }) => {
    seen.push(headers);
    return { status: 200, headers: ['set-cookie', 'sid=s3cret-session', 'x-plain', 'yes'] };
  };
  const given = { url: redis.url, secretHeaders: ['X-Own'], ...options };
  const intake = await aQueue(given);
  await until('a connection', () => intake.snapshot().isReady);
  const id = await accepted(intake, '/', { headers: HEADERS });
  let text = await contents(redis.port);
  expect(text).toContain('text/plain');
  await aQueue({ ...given, perform });
  const status = await until('its end', async () => {
    const now = await intake.status(id);
    return now.status === 'done' && now;
  });
  text += await contents(redis.port);
  expect(text).toContain('x-plain');
  return { text, performed: seen[0]!, answer: status.answer };
}

describe('headers with secrets', () => {
  it('are left out', async () => {
    const { text, performed, answer } = await trial({});
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    expect(performed).toEqual(['accept', 'text/plain']);
    expect(answer.headers).toEqual(['x-plain', 'yes']);
  });

  it('are kept in the clear when that is asked for', async () => {
    const { text, performed } = await trial({ secrets: 'keep' });
    for (const secret of SECRETS) expect(text).toContain(secret);
    expect(text).not.toContain('for the next hop');
    expect(performed).toContain('Bearer s3cret-token');
  });

  it('are kept encrypted, and reach whoever has the key', async () => {
    const { text, performed, answer } = await trial({ secrets: { encryptWith: randomBytes(32) } });
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    expect(performed).toEqual([
      ...['accept', 'text/plain', 'authorization', 'Bearer s3cret-token', 'cookie', 'sid=s3cret-cookie'],
      ...['x-api-key', 's3cret-key', 'x-own', 's3cret-own'],
    ]);
    expect(answer.headers).toEqual(['x-plain', 'yes', 'set-cookie', 'sid=s3cret-session']);
  });

  it('make a dead letter where the key is another one, until it is the right one', async () => {
    const redis = await aRedis();
    const encryptWith = randomBytes(32);
    const intake = await aQueue({ url: redis.url, secrets: { encryptWith } });
    await until('a connection', () => intake.snapshot().isReady);
    const id = await accepted(intake, '/', { headers: HEADERS });
    const perform: Perform = async () => ({ status: 200 });
    const wrong = await aQueue({ url: redis.url, perform, secrets: { encryptWith: randomBytes(32) } });
    await until('its end', async () => (await intake.status(id)).status === 'failed');
    expect(await intake.status(id)).toMatchObject({
      attempts: 1,
      reason: 'its encrypted headers cannot be read with the key that was given',
    });
    await wrong.close();
    await aQueue({ url: redis.url, perform, secrets: { encryptWith } });
    expect(await intake.retry(id)).toBe(true);
    await until('its good end', async () => (await intake.status(id)).status === 'done');
  });
});
