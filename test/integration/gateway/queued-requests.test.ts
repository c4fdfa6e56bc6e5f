import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { RedisServer } from '../../redis/redis-server.js';
import { until } from '../client/until.js';
import { type Echo, EchoBackend } from './echo-backend.js';
import { exchange, statuses } from './forwarding/raw-exchange.js';
import { GatewayProcess } from './gateway-process.js';

/** sha256 of `test`. */
const KEY_HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

let redis: RedisServer;
let backend: EchoBackend;
let other: EchoBackend;
let gateway: GatewayProcess | undefined;

beforeAll(async () => {
  backend = await EchoBackend.start();
  other = await EchoBackend.start('other');
});
// One each: turns that one test has taken are none of the next.
beforeEach(async () => {
  redis = await RedisServer.start();
});
afterEach(async () => {
  await gateway?.stop();
  await redis.stop();
  for (const each of [backend, other]) {
    each.seen.length = 0;
    each.handler = undefined;
  }
});
afterAll(() => Promise.all([backend.stop(), other.stop()]));

const BY_KEY_OR_HEADER = `
  apiKeys: { keys: { "sha256:${KEY_HASH}": acme } }
  header: { name: x-user, from: [10.0.0.0/8] }`;

async function start(routes: string, identity = BY_KEY_OR_HEADER): Promise<GatewayProcess> {
  const settings = `
listen: 127.0.0.1:0
admin: { address: "127.0.0.1:0" }
redis: { url: "\${REDIS_URL}", timeout: 5s } # the machine may be busy
overload: { mode: dry-run }
trustedCallers: []
identity:
  ${identity}
limits: { slow: { rate: 2/s, burst: 20, key: ip, algorithm: leaking-bucket, onLimit: queue } }
routes:
${routes}
`;
  gateway = await GatewayProcess.start(settings, { REDIS_URL: redis.url });
  return gateway;
}

/** A gateway on a busy machine is there before its connection to the queue is, and says so. */
async function ask(path: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const answer = await fetch(gateway!.url(path), init);
    if (answer.status !== 503) return answer;
    await sleep(100);
  }
}

/** The same request twice: sent on at once, and when its turn has come. */
async function bothWays(path: string, headers: Record<string, string>): Promise<[Echo, Echo, Response]> {
  const first = await ask(path, { method: 'POST', body: 'now', headers });
  expect(first.status).toBe(200);
  let second: Response;
  // On a busy machine the next turn may have come meanwhile.
  do second = await ask(path, { method: 'POST', body: 'later', headers });
  while (second.status === 200);
  expect(second.status).toBe(202);
  const seen = () => [...backend.seen, ...other.seen];
  // Others may come, too: one that got 503, because Redis took its time, can be kept after all.
  const id = second.headers.get('location')!.split('/').at(-1);
  const isPerformed = ({ headers }: Echo) => headers['idempotency-key'] === `"${id}"`;
  await until('performed', () => seen().some(isPerformed));
  return [seen().find(({ body }) => body === 'now')!, seen().find(isPerformed)!, second];
}

/** What differs from request to request, and what only one that may come twice has. */
function withoutOwn({ headers }: Echo): object {
  const { 'idempotency-key': _, 'content-length': __, 'x-request-id': ___, ...rest } = headers;
  return rest;
}

it('arrive with the same head as those that are sent on at once, whatever a client says', async () => {
  await start(`
  - path: /q/*
    rewrite: /inner/*
    to: "${backend.url}"
    criticality: SHEDDABLE
    identity: required
    requestHeaders: { set: { x-internal-auth: from-gateway }, remove: [x-admin, x-api-key] }
    answerHeaders: { set: { x-answer: edited }, remove: [content-type] }
    limits: [slow]`);
  const [now, later, accepted] = await bothWays('/q/a?b=c', {
    'x-api-key': 'test',
    'x-user': 'boss',
    'x-admin': '1',
    x_admin: '1',
    'x-internal-auth': 'forged',
    x_internal_auth: 'forged',
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-host': 'evil',
    'x-forwarded-proto': 'https',
    'x-real-ip': '6.6.6.6',
    forwarded: 'for=6.6.6.6',
    proxy: 'evil',
    x_plimsoll_customer: 'boss',
    'x-plimsoll-customer': 'boss',
    'x-request-criticality': 'CRITICAL_PLUS',
    'x-envoy-attempt-count': '90',
    'grpc-previous-rpc-attempts': '90',
    'grpc-timeout': '0m',
    'x-request-id': 'forged',
    'x-kept': 'yes',
  });
  expect(withoutOwn(later)).toEqual(withoutOwn(now));
  expect(later.url).toBe('/inner/a?b=c');
  expect(later.headers).toMatchObject({
    host: new URL(gateway!.url()).host,
    'x-kept': 'yes',
    'x-internal-auth': 'from-gateway',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': new URL(gateway!.url()).host,
    'x-forwarded-proto': 'http',
    via: '1.1 plimsoll',
    'x-plimsoll-customer': 'acme',
    'x-request-criticality': 'SHEDDABLE',
    'x-envoy-attempt-count': '1',
  });
  const said = JSON.stringify(later.headers);
  for (const lie of ['6.6.6.6', 'evil', 'boss', 'forged', 'admin', '90', '0m'])
    expect(said).not.toContain(lie);
  // By it a request is found in the log; what was answered with it is what its backend is told.
  expect(later.headers['x-request-id']).toBe(accepted.headers.get('x-request-id'));
  const page = await pageOf(accepted);
  expect(page.answer.headers).toEqual(expect.arrayContaining(['x-answer', 'edited']));
  expect(page.answer.headers).not.toContain('content-type');
});

it('are performed by the route that accepted them, though what it was chosen by is not kept', async () => {
  await start(`
  - { path: /q, headers: { cookie: true }, to: "${backend.url}", limits: [slow] }
  - { path: /q, to: "${other.url}" }`);
  const [now, later] = await bothWays('/q', { cookie: 'canary=1' });
  expect([now.name, later.name]).toEqual(['backend', 'backend']);
  expect(later.headers.cookie).toBeUndefined();
});

it('leave no token of a name of its own in Redis, however it is written', async () => {
  const identity = 'jwt: { secret: "0123456789abcdef0123456789abcdef", algorithms: [HS256], header: x-pass }';
  await start(`  - { path: /q, to: "${backend.url}", limits: [slow] }`, identity);
  const [now, later] = await bothWays('/q', { 'x-pass': 'top-secret', x_pass: 'top-secret', 'x-other': 'o' });
  expect(now.headers).toMatchObject({ 'x-pass': 'top-secret', 'x-other': 'o' });
  expect(later.headers).toMatchObject({ 'x-other': 'o' });
  expect(JSON.stringify(later.headers)).not.toContain('top-secret');
});

it('are not accepted when they could not be sent, or are longer than their route lets pass', async () => {
  await start(`  - { path: /q, to: "${backend.url}", limits: [slow], maxBody: 10B }`);
  const long = 'x'.repeat(11);
  expect((await ask('/q', { method: 'POST', body: long })).status).toBe(413);
  const short = async () => (await ask('/q', { method: 'POST', body: 'x' })).status;
  // It has taken no turn: the next one is sent on at once. Those that follow are kept.
  expect(await short()).toBe(200);
  while ((await short()) !== 202);
  const unsaid = { method: 'POST', duplex: 'half' } as RequestInit;
  // How long it is shows only as it is read.
  const answers: number[] = [];
  for (let i = 0; i < 3; i++)
    answers.push((await ask('/q', { ...unsaid, body: new Blob([long]).stream() })).status);
  expect(answers).toEqual([413, 413, 413]);
  // A coding that nobody behind us is told of.
  const coded = 'POST /q HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n';
  expect(statuses(await exchange(gateway!.port, coded, (text) => text.includes('\r\n\r\n')))).toEqual([501]);
  expect(backend.seen.filter(({ body }) => body !== 'x')).toEqual([]);
});

it('are counted no longer once they have been performed', async () => {
  const { stderr } = await start(`  - { path: /q, to: "${backend.url}", limits: [slow] }`);
  const admin = /admin listens on (http:\S+)/.exec(stderr)?.[1];
  for (let i = 0; i < 4; i++) await ask('/q', { method: 'POST', body: 'x' });
  await until('all performed', () => backend.seen.length >= 4);
  const waiting = async () =>
    ((await (await fetch(`${admin}/queue`)).json()) as { overLimit: { waiting: number } }).overLimit.waiting;
  for (let look = 0; look < 100 && (await waiting()) > 0; look++) await sleep(50);
  expect(await waiting()).toBe(0);
  expect(await (await fetch(`${admin}/metrics`)).text()).toMatch(
    /^plimsoll_gateway_queue_waiting\b.* 0(?: \d+)?$/m,
  );
});

it('are refused when they are for another protocol: nobody would be there to speak it', async () => {
  await start(`  - { path: /talk, to: "${backend.url}", limits: [slow] }`);
  const upgrade = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { connection: 'upgrade', upgrade: 'websocket' };
      request(gateway!.url('/talk'), { headers, agent: false })
        .on('response', resolve)
        .on('error', reject)
        .end();
    });
  let answer: IncomingMessage;
  let sent = 0;
  // The first has a turn at once, unless the queue is not connected yet; on a busy machine others have one, too.
  do {
    answer = await upgrade();
    if (answer.statusCode === 200) sent++;
  } while (answer.statusCode === 200 || answer.statusCode === 503);
  expect(answer.statusCode).toBe(429);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  await sleep(1_500);
  expect(backend.seen.length).toBe(sent);
});

interface Page {
  readonly status: string;
  readonly answer: { readonly headers: readonly string[] };
}

/** What is told of a request once it was performed. */
async function pageOf(accepted: Response): Promise<Page> {
  const place = new URL(accepted.headers.get('location')!, gateway!.url());
  for (let look = 0; look < 400; look++) {
    const page = (await (await fetch(place)).json()) as Page;
    if (page.status === 'done') return page;
    await sleep(50);
  }
  throw new Error('it was not performed within 20 s');
}
