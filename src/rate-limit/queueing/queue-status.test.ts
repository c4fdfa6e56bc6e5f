import { describe, expect, it } from 'vitest';
import { HeaderKeeper } from './header-keeper.js';
import { readStatus, statusAnswer, statusCommands } from './queue-status.js';

const keeper = new HeaderKeeper('drop', []);
const read = (...replies: unknown[]) => readStatus(keeper, 'id', replies, 10_000);
const ADDED = ['9000', null, null];
const NONE = [null, null, null];

describe('the status of a queued request', () => {
  it('asks for the answer last', () => {
    const commands = statusCommands((part) => `q:${part}`, 'id');
    expect(commands.at(-1)).toEqual(['get', 'q:answer:id']);
    expect(commands.map(([name]) => name)).toEqual(['zscore', 'zscore', 'hmget', 'exists', 'get']);
  });

  it('is waiting until its turn, which is a little after it is fetched', () => {
    const score = String(10_350 * 0x1000 + 17);
    expect(read(score, null, ADDED, 0, null)).toEqual({ status: 'waiting', dueInMs: 500, attempts: 0 });
    expect(read(String(9_000 * 0x1000), null, ADDED, 0, null)).toMatchObject({ dueInMs: 0 });
    expect(read(null, null, ['9000', '2', 'no'], 0, null)).toEqual({
      status: 'waiting',
      dueInMs: 0,
      attempts: 2,
    });
  });

  it('is running while somebody has locked it', () => {
    expect(read(null, null, ['9000', '1', 'no'], 1, null)).toEqual({ status: 'running', attempts: 1 });
  });

  it('is failed, done or unknown', () => {
    expect(read(null, '9', ['9000', '3', 'why'], 0, null)).toEqual({
      status: 'failed',
      attempts: 3,
      reason: 'why',
    });
    expect(read(null, '9', ADDED, 0, null)).toEqual({ status: 'failed', attempts: 0, reason: '' });
    const answer = '{"status":200,"headers":[],"body":"x"}';
    const done = { status: 'done', answer: { status: 200, headers: [], body: 'x' } };
    expect(read(null, null, NONE, 0, answer)).toEqual(done);
    // Written, and the job is about to end.
    expect(read(null, null, ADDED, 1, answer)).toEqual(done);
    expect(read(null, null, NONE, 0, null)).toEqual({ status: 'unknown' });
  });

  it('is told by HTTP', () => {
    const told = (status: Parameters<typeof statusAnswer>[1]) => {
      const answer = statusAnswer('id', status);
      return [
        answer.status,
        answer.headers[answer.headers.indexOf('Retry-After') + 1],
        JSON.parse(answer.body),
      ];
    };
    const waiting = { status: 'waiting', dueInMs: 1_500, attempts: 0 } as const;
    expect(told(waiting)).toEqual([200, '2', { id: 'id', ...waiting }]);
    expect(told({ status: 'running', attempts: 1 }).slice(0, 2)).toEqual([200, '1']);
    const failed = { status: 'failed', attempts: 1, reason: 'why' } as const;
    expect(statusAnswer('id', failed).headers).not.toContain('Retry-After');
    expect(told(failed)[2]).toEqual({ id: 'id', status: 'failed', attempts: 1 });
    expect(told({ status: 'unknown' })[0]).toBe(404);
  });
});
