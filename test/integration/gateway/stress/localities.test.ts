import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../client/until.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { EchoBackend } from '../echo-backend.js';
import { RunningGateway } from '../running-gateway.js';

expectNoMishaps();

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A backend near, and one far away; both hold what they are asked until they are told to answer. */
async function start(further: string) {
  const [near, far] = [await EchoBackend.start('near'), await EchoBackend.start('far')];
  const held = { near: [] as ServerResponse[], far: [] as ServerResponse[] };
  near.handler = (_, res) => held.near.push(res);
  far.handler = (_, res) => held.far.push(res);
  const gateway = await RunningGateway.start(`
services:
  one:
    backends: [{ url: "${near.url}", zone: near }, { url: "${far.url}", zone: far }]
    health: false
    ${further}
routes: [{ to: one }]`);
  stops.push(
    () => near.stop(),
    () => far.stop(),
    () => gateway.stop(),
  );
  const release = () => {
    for (const [name, all] of Object.entries(held)) for (const res of all.splice(0)) res.end(name);
  };
  return { gateway, held, release, near };
}

describe('what does not fit in the nearest locality', () => {
  it('goes to the next when the nearest is full, and is refused when that is full, too', async () => {
    const { gateway, held, release } = await start('localities: { own: near }\n    activeLimit: 2');
    const asked = [1, 2, 3, 4].map(() => gateway.ask('/'));
    await until('all of them under way', () => held.near.length + held.far.length === 4);
    expect([held.near.length, held.far.length]).toEqual([2, 2]);
    expect((await gateway.ask('/')).status).toBe(503);
    release();
    const answers = await Promise.all(asked);
    expect(answers.map(({ text }) => text).sort()).toEqual(['far', 'far', 'near', 'near']);
    const again = gateway.ask('/');
    await until('the next one', () => held.near.length + held.far.length === 1);
    release();
    expect((await again).text).toBe('near');
  });

  it('goes to the next beyond what a backend may be sent a second', async () => {
    const { gateway, release } = await start('localities: { own: near, capacityPerBackend: 5 }');
    const timer = setInterval(release, 5);
    stops.push(() => clearInterval(timer));
    const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(() => gateway.ask('/')));
    const count = (name: string) =>
      answers.filter(({ status, text }) => status === 200 && text === name).length;
    // Of twelve at once each takes its second's worth, and two are too many.
    expect([count('near'), count('far')]).toEqual([5, 5]);
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(2);
  });

  it('goes to the next when the nearest is gone', async () => {
    const { gateway, release, near } = await start('localities: { own: near }');
    const timer = setInterval(release, 5);
    stops.push(() => clearInterval(timer));
    expect((await gateway.ask('/')).text).toBe('near');
    near.server.closeAllConnections();
    near.server.close();
    // One that was under way when it went may have been processed; those that follow go where somebody is.
    for (let i = 0; i < 5; i++) expect((await gateway.ask('/')).text).toBe('far');
    near.server.listen(0);
  });
});
