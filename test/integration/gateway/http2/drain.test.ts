import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { answerOf } from './http2-client.js';
import { Http2Stage, TLS } from './http2-stage.js';

expectNoMishaps();

const stage = new Http2Stage();
afterEach(() => stage.stop());

/** With it a GOAWAY says that nothing is refused yet (RFC 9113, 6.8). */
const NOTICE = [0, 2 ** 31 - 1];

async function aSlowBackend() {
  const backend = await stage.backend();
  const waiting: ServerResponse[] = [];
  backend.handler = (req, res) => {
    if (req.url === '/slow') waiting.push(res);
    else res.end('fine');
  };
  return { backend, waiting };
}

describe.each([
  ['without TLS', undefined],
  ['with TLS', TLS],
])('a gateway that goes, to clients %s', (_name, tls) => {
  it('says so, ends what runs in its time, and is gone with the last', async () => {
    const { backend, waiting } = await aSlowBackend();
    const { gateway, port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`, tls);
    const client = stage.client(port, { tls: tls !== undefined });
    const idle = stage.client(port, { tls: tls !== undefined });
    expect((await idle.ask('/')).text).toBe('fine');
    const slow = answerOf(client.open({ ':path': '/slow' }, true));
    await until(() => waiting.length === 1);
    const startedMs = performance.now();
    let isDrained = false;
    const drained = gateway.drain({ timeoutMs: 60_000, spreadMs: 0 }).then(() => {
      isDrained = true;
    });
    await until(() => client.goAways.length === 2 && idle.session.destroyed);
    expect(client.goAways).toEqual([NOTICE, [0, 1]]);
    await until(() => gateway.snapshot().guard.connections === 1);
    expect(isDrained).toBe(false);
    waiting[0]!.end('late but whole');
    expect(await slow).toMatchObject({ status: 200, text: 'late but whole' });
    await drained;
    expect(client.session.destroyed).toBe(true);
    expect(performance.now() - startedMs).toBeLessThan(30_000);
  });

  it('serves who comes meanwhile, and tells them with the first answer', async () => {
    const { backend } = await aSlowBackend();
    const { gateway, port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`, tls);
    gateway.lameDuck();
    const client = stage.client(port, { tls: tls !== undefined });
    expect((await client.ask('/')).text).toBe('fine');
    await once(client.session, 'close');
    expect(client.goAways[0]).toEqual(NOTICE);
  });

  it('cuts off what does not end', async () => {
    const { backend, waiting } = await aSlowBackend();
    const { gateway, port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`, tls);
    const client = stage.client(port, { tls: tls !== undefined });
    const slow = answerOf(client.open({ ':path': '/slow' }, true));
    await until(() => waiting.length === 1);
    await gateway.close({ timeoutMs: 100, spreadMs: 0 });
    expect((await slow).status).toBe(503);
    await until(() => client.session.destroyed);
    expect(gateway.guard.snapshot()).toMatchObject({ inFlight: 0, connections: 0 });
  });
});
