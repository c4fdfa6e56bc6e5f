import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Channel, type Frame, type Handlers } from './channel.js';

/** Two ends whose messages go through JSON, as between processes. */
function pair(left: Handlers, right: Handlers): { left: Channel; right: Channel; sent: Frame[] } {
  const sent: Frame[] = [];
  const pass = (to: () => Channel) => (frame: Frame) => {
    sent.push(frame);
    queueMicrotask(() => to().receive(JSON.parse(JSON.stringify(frame))));
  };
  const ends: { left: Channel; right: Channel } = {
    left: new Channel(
      pass(() => ends.right),
      left,
    ),
    right: new Channel(
      pass(() => ends.left),
      right,
    ),
  };
  return { ...ends, sent };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a channel', () => {
  it('brings answers to who asked, in any order', async () => {
    const later: (() => void)[] = [];
    const { left } = pair(
      {},
      {
        double: (n: number) => new Promise((resolve) => later.push(() => resolve(2 * n))),
      },
    );
    const asked = [1, 2, 3].map((n) => left.ask<number>('double', n, 1_000));
    await vi.waitFor(() => expect(later).toHaveLength(3));
    for (const answer of later.reverse()) answer();
    expect(await Promise.all(asked)).toEqual([2, 4, 6]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('brings errors, and what is impossible as such', async () => {
    const { left } = pair(
      {},
      {
        fail: () => {
          throw new Error('no');
        },
        refuse: async () => {
          throw new RangeError('never');
        },
        sulk: () => Promise.reject('words'),
      },
    );
    await expect(left.ask('fail', undefined, 1_000)).rejects.toThrow(/^no$/);
    const refused = await left.ask('refuse', undefined, 1_000).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RangeError);
    await expect(left.ask('sulk', undefined, 1_000)).rejects.toThrow('words');
    await expect(left.ask('toString', undefined, 1_000)).rejects.toThrow('nobody answers toString');
  });

  it('gives up in time, and does not mind an answer after that', async () => {
    let answer = (_: unknown): void => {};
    const { left } = pair(
      {},
      {
        wait: () =>
          new Promise((resolve) => {
            answer = resolve;
          }),
      },
    );
    const asked = left.ask('wait', undefined, 50);
    const failed = expect(asked).rejects.toThrow('no answer within 50 ms');
    await vi.advanceTimersByTimeAsync(50);
    await failed;
    answer(1);
    await vi.advanceTimersByTimeAsync(1);
  });

  it('ends with the other side', async () => {
    const { left, sent } = pair({}, { wait: () => new Promise(() => {}) });
    const asked = left.ask('wait', undefined, 1_000);
    left.close('the primary is gone');
    left.close('twice');
    await expect(asked).rejects.toThrow('the primary is gone');
    await expect(left.ask('wait', undefined, 1_000)).rejects.toThrow('the primary is gone');
    left.tell('anything');
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('bounds what is under way', async () => {
    const { left } = pair({}, { wait: () => new Promise(() => {}) });
    const all = Array.from({ length: 10_001 }, () => left.ask('wait', undefined, 1_000));
    for (const each of all) each.catch(() => {});
    await expect(all.at(-1)).rejects.toThrow('too many questions');
    left.close('over');
    await Promise.allSettled(all);
  });

  it('tells without waiting, whatever becomes of it', async () => {
    const heard: unknown[] = [];
    const { left } = pair(
      {},
      {
        note: (body: unknown) => heard.push(body),
        fail: () => {
          throw new Error('no');
        },
      },
    );
    left.tell('fail');
    left.tell('nobody');
    left.tell('note', { a: 1 });
    await vi.waitFor(() => expect(heard).toEqual([{ a: 1 }]));
  });

  it('leaves alone what is not ours, and never throws', () => {
    const send = vi.fn();
    const channel = new Channel(send, {});
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (value, id) => {
        channel.receive(value);
        channel.receive({ plimsoll: 'answer', id });
        channel.receive({ plimsoll: 'failure', id });
        channel.receive({ plimsoll: 'ask', id: String(id) });
        channel.receive({ plimsoll: 'health', health: value });
      }),
    );
    expect(send).not.toHaveBeenCalled();
  });
});
