import { describe, expect, it, vi } from 'vitest';
import type { GatewaySettings } from '../settings/index.js';
import { applyAll, prepareAll, type Reloadable } from './reload-all.js';

/** A worker that answers so, and what it was told. */
function worker(name: string, answers: Record<string, () => unknown> = {}) {
  const heard: string[] = [];
  const made = {
    name,
    state: 'ready' as Reloadable['state'],
    version: 1,
    kill: vi.fn(),
    channel: {
      ask: async (what: string) => {
        heard.push(what);
        return await answers[what]?.();
      },
      tell: (what: string) => {
        heard.push(what);
      },
    } as unknown as Reloadable['channel'],
  };
  return { made, heard };
}

const refuse = (message: string) => () => {
  throw new Error(message);
};
const sent = () => ({ settings: {} as GatewaySettings, version: 2 });

describe('other settings', () => {
  it('are made by all before one of them uses them', async () => {
    const workers = [worker('1'), worker('2')];
    const all = workers.map(({ made }) => made);
    await prepareAll(all, sent);
    expect(workers.map(({ heard }) => heard)).toEqual([['prepare'], ['prepare']]);
    await applyAll(all, 2);
    expect(workers.map(({ heard }) => heard)).toEqual([
      ['prepare', 'apply'],
      ['prepare', 'apply'],
    ]);
    expect(all.map(({ version }) => version)).toEqual([2, 2]);
  });

  it('are used by none when one cannot', async () => {
    const workers = [worker('1'), worker('2', { prepare: refuse('no such file') })];
    const preparing = prepareAll(
      workers.map(({ made }) => made),
      sent,
    );
    await expect(preparing).rejects.toThrow(/^worker 2: no such file$/);
    expect(workers.map(({ heard }) => heard)).toEqual([
      ['prepare', 'discard'],
      ['prepare', 'discard'],
    ]);
  });

  it('that no worker can use are refused in one line', async () => {
    const workers = ['1', '2'].map((name) => worker(name, { prepare: refuse('no such file') }).made);
    await expect(prepareAll(workers, sent)).rejects.toThrow(/^no such file$/);
  });

  it('are not kept back by a worker that dies', async () => {
    const dying = worker('1', {
      prepare: () => {
        dying.made.state = 'gone';
        throw new Error('worker 1 is gone');
      },
    });
    await prepareAll([dying.made, worker('2').made], sent);
  });

  it('end a worker that does not follow', async () => {
    const stuck = worker('1', { apply: refuse('no answer within 5000 ms') });
    const gone = worker('2', { apply: refuse('worker 2 is gone') });
    gone.made.state = 'gone';
    await applyAll([stuck.made, gone.made], 2);
    expect(stuck.made.kill).toHaveBeenCalledOnce();
    expect(gone.made.kill).not.toHaveBeenCalled();
    expect(stuck.made.version).toBe(1);
  });

  it('are nothing to one that leaves meanwhile: it neither refuses them nor is ended for it', async () => {
    const leaving = worker('1', {
      prepare: refuse('the gateway is closed'),
      apply: refuse('none are prepared'),
    });
    const other = worker('2');
    leaving.made.state = 'leaving';
    const all = [leaving.made, other.made];
    await prepareAll(all, sent);
    await applyAll(all, 2);
    expect(leaving.made.kill).not.toHaveBeenCalled();
    expect([leaving.made.version, other.made.version]).toEqual([1, 2]);
  });
});
