import { expect, it, vi } from 'vitest';
import type { Client } from '../../client/index.js';
import { plainService } from '../settings/index.js';
import { ServiceClients, type ServicePlan } from './service-clients.js';

function made() {
  const destroyed: string[] = [];
  const make = vi.fn((name: string) => {
    if (name === 'bad') throw new RangeError('size must be > 0');
    return { destroy: async () => destroyed.push(name) } as unknown as Client;
  });
  return { make, destroyed, clients: new ServiceClients((file) => file, make) };
}

const plan = (url: string, files = {}): ServicePlan => ({ settings: plainService(url), files });

it('keeps what has not changed, and makes what has', async () => {
  const { clients, make } = made();
  const one = await clients.prepare(
    new Map([
      ['a', plan('http://a:1')],
      ['b', plan('http://b:1')],
    ]),
  );
  expect(clients.use(one)).toEqual([]);
  const next = await clients.prepare(
    new Map([
      ['a', plan('http://a:1')],
      ['b', plan('http://b:2')],
      ['http://c:1', plan('http://c:1')],
    ]),
  );
  expect(make.mock.calls.map(([name]) => name)).toEqual(['a', 'b', 'b', 'c-1']);
  expect(next.get('a')).toBe(one.get('a'));
  expect(clients.use(next)).toEqual([one.get('b')]);
  const renewed = await clients.prepare(new Map([['a', plan('http://a:1', { ca: 'new' })]]));
  expect(clients.use(renewed)).toHaveLength(3);
});

it('leaves nothing behind when one cannot be made', async () => {
  const { clients, destroyed } = made();
  clients.use(await clients.prepare(new Map([['a', plan('http://a:1')]])));
  const plans = new Map([
    ['a', plan('http://a:1')],
    ['b', plan('http://b:1')],
    ['bad', plan('http://c:1')],
  ]);
  await expect(clients.prepare(plans)).rejects.toThrow('service bad: size must be > 0');
  expect(destroyed).toEqual(['b']);
  expect([...clients.current.keys()]).toEqual(['a']);
});
