import { describe, expect, it } from 'vitest';
import type { GatewaySettings } from '../settings/index.js';
import { WorkerReload } from './worker-reload.js';

/** A gateway that takes settings of any name but `bad`. */
class FakeGateway {
  readonly held: string[] = [];

  async reload(settings: GatewaySettings, confirm?: () => Promise<void>): Promise<void> {
    const { name } = settings as unknown as { name: string };
    if (name === 'bad') throw new Error('bad');
    await confirm?.();
    this.held.push(name);
  }
}

const sent = (name: string) => ({ settings: { name } as unknown as GatewaySettings, version: 2 });

describe('settings in a worker', () => {
  it('hold when the primary says so again', async () => {
    const gateway = new FakeGateway();
    const reload = new WorkerReload(gateway);
    await reload.prepare(sent('a'));
    expect(gateway.held).toEqual([]);
    await reload.apply();
    expect(gateway.held).toEqual(['a']);
    await expect(reload.apply()).rejects.toThrow('no settings are prepared');
  });

  it('do not hold when they cannot be made, or are not wanted', async () => {
    const gateway = new FakeGateway();
    const reload = new WorkerReload(gateway);
    await expect(reload.prepare(sent('bad'))).rejects.toThrow('bad');
    await reload.prepare(sent('a'));
    reload.discard();
    reload.discard();
    await expect(reload.apply()).rejects.toThrow('no settings are prepared');
    await reload.prepare(sent('b'));
    await reload.apply();
    expect(gateway.held).toEqual(['b']);
  });

  it('make way for those that come after', async () => {
    const gateway = new FakeGateway();
    const reload = new WorkerReload(gateway);
    await reload.prepare(sent('a'));
    await reload.prepare(sent('b'));
    await reload.apply();
    expect(gateway.held).toEqual(['b']);
  });
});
