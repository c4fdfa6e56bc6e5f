import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Desk } from './desk.js';
import { FakeWorker } from './fake-worker.contract.js';

const workers: FakeWorker[] = [];
const hire = () => {
  workers.push(new FakeWorker());
  return workers.at(-1)!;
};
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  workers.length = 0;
});
afterEach(() => void vi.useRealTimers());

it('answers one question after the other, with one worker', async () => {
  const desk = new Desk(hire);
  const first = desk.ask({ kind: 'catalogue' });
  const second = desk.ask({ kind: 'check', text: 'x' });
  await settle();
  expect(workers[0]!.asked).toEqual([{ kind: 'catalogue' }]);
  workers[0]!.say({ kind: 'catalogue', scenarios: [] });
  expect(await first).toEqual({ kind: 'catalogue', scenarios: [] });
  await settle();
  workers[0]!.say({ kind: 'refused', problems: [], more: 0 });
  expect(await second).toEqual({ kind: 'refused', problems: [], more: 0 });
  expect(workers).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
  desk.close();
  expect(workers[0]!.isGone).toBe(true);
});

it('takes another worker when one does not come back', async () => {
  const desk = new Desk(hire);
  const lost = desk.ask({ kind: 'check', text: 'x' });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await lost).toEqual({ kind: 'failed', text: 'this takes too long to read' });
  expect(workers[0]!.isGone).toBe(true);
  const broken = desk.ask({ kind: 'catalogue' });
  await settle();
  workers[1]!.fail('no such file');
  expect(await broken).toEqual({ kind: 'failed', text: 'no such file' });
  expect(workers[1]!.isGone).toBe(true);
});
