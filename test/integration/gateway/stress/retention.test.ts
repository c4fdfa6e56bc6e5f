import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { expectNoMishaps } from '../../server/mishaps.js';
import { EchoBackend } from '../echo-backend.js';
import { RunningGateway } from '../running-gateway.js';

expectNoMishaps();

/** Whether all of these can be forgotten: a gateway that is reloaded for a year has had millions. */
async function areForgotten(held: readonly WeakRef<object>[]): Promise<boolean> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let tries = 0; tries < 50; tries++) {
    // A WeakRef that was looked at holds on until the end of the turn.
    await sleep(20);
    gc();
    if (held.every((ref) => ref.deref() === undefined)) return true;
  }
  return false;
}

it('keeps nothing of settings that hold no longer', async () => {
  const backend = await EchoBackend.start();
  const settings = (version: number) => `
limits: { many: { rate: 1000/min, key: ip } }
services: { one: { backends: ["${backend.url}"], activeLimit: ${100 + version} } }
routes: [{ path: /a, to: one, limits: [many], stale: true }, { path: /v${version}, to: one }]`;
  const gateway = await RunningGateway.start(settings(0));
  try {
    const held: WeakRef<object>[] = [];
    for (let version = 1; version <= 4; version++) {
      const { generation } = gateway.gateway;
      held.push(new WeakRef(generation), new WeakRef(generation.services.get('one')!.client));
      expect((await gateway.ask('/a')).status).toBe(200);
      await gateway.reload(settings(version));
      expect((await gateway.ask(`/v${version}`)).status).toBe(200);
    }
    // Of the last one before the present the request that was asked last may still be known somewhere.
    expect(await areForgotten(held.slice(0, -2))).toBe(true);
  } finally {
    await gateway.stop();
    await backend.stop();
  }
});
