import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTROL_NAMES } from '../../../src/cli/demo/control/control.js';
import { RunningDemo } from './running-demo.js';

let demo: RunningDemo;

beforeAll(async () => {
  demo = await RunningDemo.start();
});

afterAll(() => demo.stop());

const chosen = async (name: string) =>
  (await demo.part()).controls.find((control) => control.name === name)!.value;

describe('who may change something', () => {
  it('has the token', async () => {
    const url = demo.url('/demo/load?value=1');
    const marker = { 'x-plimsoll-admin': '1' };
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(url, { method: 'POST', headers })).status;
    expect(await statusOf(marker)).toBe(401);
    expect(await statusOf({ ...marker, authorization: 'Bearer of-somebody-else' })).toBe(401);
    expect(await statusOf({ authorization: `Bearer ${demo.token}` })).toBe(403);
    expect((await fetch(demo.url('/demo'))).status).toBe(401);
  });

  it('says what there is', async () => {
    expect((await demo.post('load', '11')).status).toBe(422);
    expect((await demo.post('load')).status).toBe(422);
    expect((await demo.post('policy', 'best')).status).toBe(422);
    expect((await demo.post('weather', 'fine')).status).toBe(404);
    expect((await demo.part()).controls.map(({ name }) => name)).toEqual(CONTROL_NAMES);
  });
});

describe('load', () => {
  it('comes as it is asked for, of all customers and criticalities', async () => {
    await demo.set('load', '2');
    // Of one second all of it: in the next there may be nothing, where others take the processor.
    await demo.eventually(
      'twice the load, critical for the most part',
      ({ load: { multiple, byCriticality } }) =>
        multiple > 1.4 &&
        multiple < 2.6 &&
        byCriticality.CRITICAL.offered > byCriticality.CRITICAL_PLUS.offered,
      20_000,
    );
    expect(Object.keys((await demo.part()).load.byCustomer)).toEqual(['A', 'B', 'C']);
    await demo.set('load', '0.8');
  });

  it('has other mixes', async () => {
    expect(await demo.set('cost-mix', 'heavy-tail')).toMatchObject({ value: 'heavy-tail' });
    expect(await demo.set('criticality-mix', 'mostly-batch')).toMatchObject({ value: 'mostly-batch' });
    await demo.eventually(
      'batches',
      ({ load: { byCriticality } }) => byCriticality.SHEDDABLE.offered > 1.5 * byCriticality.CRITICAL.offered,
      20_000,
    );
    await demo.set('cost-mix', 'mixed');
    await demo.set('criticality-mix', 'usual');
  });
});

it('holds a customer that misbehaves to its quota, and others lose next to nothing', async () => {
  await demo.set('misbehave', 'true');
  // Both at once: until its level has come down, B takes from all.
  await demo.eventually(
    'B is held, and A is not',
    ({ load: { byCustomer } }) =>
      byCustomer['B']!.refused > 0.5 * byCustomer['B']!.offered &&
      byCustomer['A']!.refused < 0.5 * byCustomer['A']!.offered,
    20_000,
  );
  await demo.set('misbehave', 'false');
  expect(await chosen('misbehave')).toBe(false);
});

describe('backends', () => {
  it('are lame ducks within two seconds, and new ones take their place', async () => {
    await demo.set('lame-duck', 'backend-2');
    await demo.eventuallyState('backend-2', ['lame-duck'], 2_000);
    await demo.set('lame-duck', 'none');
    await demo.eventuallyState('backend-2', ['ready'], 30_000);
  });

  it('are seen to be gone within two seconds, and come back', async () => {
    await demo.set('kill', 'backend-1');
    await demo.eventuallyState('backend-1', ['connecting', 'refusing', 'ejected'], 2_000);
    await demo.eventually('it is said', ({ backends }) => backends[0]!.state === 'down', 2_000);
    expect(await chosen('kill')).toBe('backend-1');
    // Who has failed may be kept away from for a while longer: what counts is that it is there.
    await demo.eventually('it is back', ({ backends }) => backends[0]!.state === 'running', 30_000);
    expect(await chosen('kill')).toBe('none');
  });

  it('are slow', async () => {
    expect(await demo.set('slow', 'backend-3')).toMatchObject({ value: 'backend-3' });
    expect(await demo.set('slow', 'none')).toMatchObject({ value: 'none' });
  });

  it('are restarted one by one, and no request fails', async () => {
    const before = (await demo.part()).backends.map(({ pid }) => pid);
    let failed = 0;
    await demo.set('restart-all');
    await demo.eventually(
      'all are new',
      ({ backends, load, controls }) => {
        failed = Math.max(failed, load.failedPerSecond);
        const isOver = controls.find(({ name }) => name === 'restart-all')!.value === false;
        return isOver && backends.every(({ pid, state }) => state === 'running' && !before.includes(pid));
      },
      60_000,
    );
    expect(failed).toBe(0);
  });
});

it('balances in another way, under load', async () => {
  await demo.set('policy', 'round-robin');
  await demo.set('subset', '3');
  const { services } = await demo.snapshot();
  expect(services['fleet']!.backends).toHaveLength(3);
  await demo.set('subset', '6');
  expect(await demo.set('policy', 'weighted')).toMatchObject({ value: 'weighted' });
  expect((await demo.snapshot()).services['fleet']!.backends).toHaveLength(6);
});

it('collapses without its guards, and recovers with them', async () => {
  await demo.set('load', '4');
  await demo.set('guard', 'false');
  await demo.eventually(
    'the collapse',
    ({ load }) => load.goodputPerSecond < 0.4 * load.peakPerSecond,
    30_000,
  );
  await demo.set('guard', 'true');
  await demo.eventually('goodput', ({ load }) => load.goodputPerSecond > 0.5 * load.peakPerSecond, 60_000);
});
