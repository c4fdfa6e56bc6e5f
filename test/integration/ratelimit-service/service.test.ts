import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  HEADER_NAMES,
  type RateLimitService,
  type RateLimitServiceOptions,
  startRateLimitService,
} from 'plimsoll/ratelimit-service';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entriesOf, RlsClient } from './rls-client.js';

const rules = (limit: number, domain = 'edge') => `domain: ${domain}
descriptors:
  - key: user
    rate_limit: { unit: day, requests_per_unit: ${limit} }
`;

let folder: string;
let service: RateLimitService | undefined;
let client: RlsClient;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-rls-'));
  writeFileSync(join(folder, 'rules.yaml'), rules(2));
});

afterEach(async () => {
  client?.close();
  await service?.close();
  service = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: Partial<RateLimitServiceOptions> = {}): Promise<RateLimitService> {
  const given = { paths: [folder], grpcPort: 0, httpPort: 0, pollMs: 20, settleMs: 10, drainMs: 2_000 };
  service = await startRateLimitService({ ...given, ...options });
  client = new RlsClient(service.ports.grpc);
  return service;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('it did not come true within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('gRPC', () => {
  it('answers 2,000 calls at once, each once', async () => {
    await start({ paths: [write('many.yaml', rules(1_000, 'many'))] });
    const answers = await Promise.all(Array.from({ length: 2_000 }, () => client.ask('many', ['user=x'])));
    expect(answers.filter(({ overallCode }) => overallCode === 1)).toHaveLength(1_000);
    expect(answers.filter(({ overallCode }) => overallCode === 2)).toHaveLength(1_000);
  });

  it('says by code what is wrong with a call', async () => {
    await start();
    const codeOf = (call: Promise<unknown>) =>
      call.then(
        () => 'answered',
        (error: { code: number; details: string }) => `${error.code} ${error.details}`,
      );
    const path = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';
    expect(await codeOf(client.ask('', ['user=x']))).toBe('3 rate limit domain must not be empty');
    expect(await codeOf(client.ask('edge', []))).toBe('3 rate limit descriptor list must not be empty');
    expect(await codeOf(client.raw(path, Buffer.from([0x0a, 0x7f])))).toMatch(/^3 the message ends/);
    expect(await codeOf(client.raw('/some.Service/Method', Buffer.alloc(0)))).toMatch(
      /^12 there is no method/,
    );
    expect(await codeOf(client.raw(path, Buffer.alloc(70_000)))).toMatch(/^8 the message is too large/);
    const many = Array.from({ length: 101 }, () => 'user=x');
    expect(await codeOf(client.ask('edge', many))).toMatch(/^3 descriptors must be 100/);
    expect(await client.words('edge', ['user=x'], 1)).toBe('OK');
  });

  it('is healthy by name, and not when it ends', async () => {
    const running = await start();
    expect(await client.health('ratelimit')).toBe(1);
    expect(await client.health('')).toBe(1);
    await expect(client.health('other')).rejects.toMatchObject({ code: 5 });
    const page = () => fetch(`http://127.0.0.1:${running.ports.http}/healthcheck`);
    expect([(await page()).status, await (await page()).text()]).toEqual([200, 'OK']);
  });

  it('tells of limits in headers', async () => {
    await start({ responseHeaders: HEADER_NAMES });
    const { responseHeadersToAdd } = await client.ask('edge', ['user=x']);
    expect(responseHeadersToAdd.map(({ key }) => key)).toEqual(Object.values(HEADER_NAMES));
    expect(responseHeadersToAdd.slice(0, 2).map(({ value }) => value)).toEqual(['2', '1']);
  });

  it('serves other clients too: header fields in several frames, bodies in pieces', async () => {
    const running = await start();
    const session = connectHttp2(`http://127.0.0.1:${running.ports.grpc}`);
    const headers = {
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      // Does not fit a frame, and is mostly what Huffman has short codes for.
      'x-long': 'a'.repeat(15_000),
    };
    const stream = session.request(headers);
    stream.write(Buffer.from([0, 0, 0]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    stream.end(Buffer.from([0, 0]));
    const chunks: Buffer[] = [];
    let status: unknown;
    stream.on('trailers', (trailers) => {
      status = trailers['grpc-status'];
    });
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(Buffer.from([0, 0, 0, 0, 2, 8, 1]));
    expect(status).toBe('0');
    const plain = session.request({ ':path': '/' });
    const code = await new Promise((resolve) => plain.on('response', (got) => resolve(got[':status'])));
    expect(code).toBe(415);
    plain.close();
    session.close();
  });

  it('ends connections that are no HTTP/2, and lives on', async () => {
    const running = await start();
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'\xff'.repeat(20)}`]) {
      const socket: Socket = connect(running.ports.grpc, '127.0.0.1');
      socket.on('error', () => {});
      socket.resume();
      socket.write(bytes, 'latin1');
      await new Promise((resolve) => socket.on('close', resolve));
    }
    expect(await client.words('edge', ['user=x'], 3)).toBe('OK OK OVER');
  });

  it('loses no call when it ends', async () => {
    const running = await start({ paths: [write('many.yaml', rules(1_000_000, 'many'))] });
    const clients = Array.from({ length: 4 }, () => new RlsClient(running.ports.grpc));
    await Promise.all(clients.map((each) => each.ask('many', ['user=x'])));
    const outcomes: string[] = [];
    let isClosing = false;
    const asking = clients.map(async (each) => {
      while (!isClosing)
        await Promise.all(
          Array.from({ length: 20 }, () =>
            each.ask('many', ['user=x']).then(
              () => outcomes.push('answered'),
              (error: { code: number }) => outcomes.push(`failed ${error.code}`),
            ),
          ),
        );
    });
    await until(() => outcomes.length > 500);
    isClosing = true;
    await running.close();
    await Promise.all(asking);
    for (const each of clients) each.close();
    expect(outcomes.filter((outcome) => outcome !== 'answered')).toEqual([]);
  });
});

describe('/json', () => {
  const post = (running: RateLimitService, body: unknown) =>
    fetch(`http://127.0.0.1:${running.ports.http}/json`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const asked = { domain: 'edge', descriptors: [{ entries: entriesOf('user=x') }] };

  it('answers 200 and 429', async () => {
    const running = await start();
    const first = await post(running, asked);
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({
      overallCode: 'OK',
      statuses: [
        {
          code: 'OK',
          currentLimit: { requestsPerUnit: 2, unit: 'DAY' },
          limitRemaining: 1,
          durationUntilReset: expect.stringMatching(/^\d+s$/),
        },
      ],
    });
    await post(running, asked);
    const third = await post(running, asked);
    expect(third.status).toBe(429);
    expect(await third.json()).toMatchObject({ overallCode: 'OVER_LIMIT' });
  });

  it.each([['{'], [{ ...asked, domain: '' }], [{ domain: 'edge' }], [{ ...asked, more: 1 }], ['[]']])(
    'answers 400 to %j',
    async (body) => {
      expect((await post(await start(), body)).status).toBe(400);
    },
  );

  it('answers 413 to what is too large, and 404 elsewhere', async () => {
    const running = await start();
    expect((await post(running, ' '.repeat(70_000))).status).toBe(413);
    expect((await fetch(`http://127.0.0.1:${running.ports.http}/`)).status).toBe(404);
  });
});

describe('rules', () => {
  it('hold as soon as they change, and not when they are wrong', async () => {
    const problems: string[] = [];
    const said: string[] = [];
    await start({ onProblem: ({ message }) => problems.push(message), onRules: (words) => said.push(words) });
    const limit = async () =>
      (await client.ask('edge', ['user=y'])).statuses[0]?.currentLimit?.requestsPerUnit;
    expect(await limit()).toBe(2);
    writeFileSync(join(folder, 'rules.yaml'), rules(50));
    await until(async () => (await limit()) === 50);
    writeFileSync(join(folder, 'rules.yaml'), `${rules(60)}    rate_limits: {}\n`);
    await until(() => problems.length > 0);
    expect(problems[0]).toMatch(/rules\.yaml:5:5: descriptors\[0\]\.rate_limits: is not known/);
    expect(await limit()).toBe(50);
    writeFileSync(join(folder, 'more.yaml'), rules(7, 'other'));
    writeFileSync(join(folder, 'rules.yaml'), rules(60));
    await until(async () => (await limit()) === 60);
    expect(problems).toHaveLength(1);
    expect(said.at(-1)).toBe('2 domains, 2 limits');
  });

  it('of one domain are in one file, or merged', async () => {
    write('second.yaml', rules(5));
    await expect(start()).rejects.toThrow(/second\.yaml:1:1: domain: "edge" is the domain of another file/);
    await expect(start({ mergeDomains: true })).rejects.toThrow('"user" is in another file already');
    write('second.yaml', rules(5).replace('user', 'group'));
    await start({ mergeDomains: true });
    const { statuses } = await client.ask('edge', ['user=x', 'group=x']);
    expect(statuses.map(({ currentLimit }) => currentLimit?.requestsPerUnit)).toEqual([2, 5]);
  });

  it('are told, with what was hit, on a port for that', async () => {
    const running = await start({ debugPort: 0 });
    await client.words('edge', ['user=x'], 3);
    const page = async (path: string) =>
      (await fetch(`http://127.0.0.1:${running.ports.debug}${path}`)).text();
    expect(await page('/rlconfig')).toBe('edge.user: 2 per 86400 s, fixed-window\n');
    expect(await page('/stats')).toContain('ratelimit.service.rate_limit.edge.user.over_limit: 1\n');
  });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
