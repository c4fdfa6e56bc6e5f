import { expect, it } from 'vitest';
import { FailureRecord, RefusalRecord } from './sinkhole.js';

it('takes the first outcome of a backend at its word', () => {
  const record = new FailureRecord();
  expect(record.onFailure()).toBe(true);
  expect(record.isEjected(0)).toBe(false);
  record.eject(0);
  expect(record.isEjected(999)).toBe(true);
  expect(record.isEjected(1_000)).toBe(false);
});

it('takes four failures in a row against a clean record', () => {
  const record = new FailureRecord();
  for (let index = 0; index < 100; index++) record.onSuccess();
  expect([1, 2, 3, 4].map(() => record.onFailure())).toEqual([false, false, false, true]);
});

it('doubles from 1 s to 30 s, and starts over once the record is clean', () => {
  const record = new FailureRecord();
  const lengths: number[] = [];
  let now = 0;
  for (let index = 0; index < 7; index++) {
    record.onFailure();
    record.eject(now);
    let length = 0;
    while (record.isEjected(now + length)) length += 500;
    lengths.push(length);
    now += length;
  }
  expect(lengths).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  // 0.8^10 ≈ 0.107 is not clean yet, 0.8^11 ≈ 0.086 is.
  for (let index = 0; index < 10; index++) record.onSuccess();
  record.eject(now);
  expect(record.isEjected(now + 29_999)).toBe(true);
  now += 30_000;
  record.onSuccess();
  record.eject(now);
  expect(record.isEjected(now + 999)).toBe(true);
  expect(record.isEjected(now + 1_000)).toBe(false);
});

it('never puts out a backend with the occasional error', () => {
  const record = new FailureRecord();
  for (let index = 1; index <= 10_000; index++) {
    if (index % 3 === 0) expect(record.onFailure()).toBe(false);
    else record.onSuccess();
  }
});

it('distrusts who refuses for 1 s, doubling to 30 s, until it serves something', () => {
  const record = new RefusalRecord();
  expect(record.isDistrusted(0)).toBe(false);
  const lengths: number[] = [];
  let now = 0;
  for (let index = 0; index < 7; index++) {
    record.onRefused(now);
    // The rest of the burst does not count.
    record.onRefused(now + 1);
    let length = 0;
    while (record.isDistrusted(now + length)) length += 500;
    lengths.push(length);
    now += length;
  }
  expect(lengths).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  record.onServed();
  record.onRefused(now);
  expect(record.isDistrusted(now + 999)).toBe(true);
  expect(record.isDistrusted(now + 1_000)).toBe(false);
});
