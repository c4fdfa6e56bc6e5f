import { expect, it } from 'vitest';
import type { LoadReport } from '../../core/index.js';
import { ProbeBook } from './probe-book.js';

function make(max = 3) {
  const told: [string, LoadReport | undefined][] = [];
  const book = new ProbeBook<string>(max);
  const add = (sequence: number, backend: string, expiresMs: number) =>
    book.add(sequence, backend, expiresMs, (report) => told.push([`${backend}${sequence}`, report]));
  return { told, book, add };
}

it('is answered once, by who was asked', () => {
  const { told, book, add } = make();
  add(1, 'a', 100);
  expect(book.isOpen(1, 'b')).toBe(false);
  expect(book.answer(1, 'b', {})).toBe(false);
  expect(book.isOpen(1, 'a')).toBe(true);
  expect(book.answer(1, 'a', { inFlight: 2 })).toBe(true);
  expect(book.answer(1, 'a', { inFlight: 3 })).toBe(false);
  expect(told).toEqual([['a1', { inFlight: 2 }]]);
});

it('ends in time, in whatever order', () => {
  const { told, book, add } = make();
  add(1, 'a', 300);
  add(2, 'a', 100);
  add(3, 'b', 200);
  expect(book.isFull).toBe(true);
  expect(book.dueMs).toBe(100);
  book.expire(99);
  expect(told).toEqual([]);
  book.expire(100);
  expect(told).toEqual([['a2', undefined]]);
  expect(book.isFull).toBe(false);
  expect(book.dueMs).toBe(200);
  book.expire(1_000);
  expect(told.map(([probe]) => probe)).toEqual(['a2', 'a1', 'b3']);
  expect(book.size).toBe(0);
  expect(book.dueMs).toBe(Number.POSITIVE_INFINITY);
});

it('is answered for one backend, or for all', () => {
  const { told, book, add } = make(4);
  add(1, 'a', 300);
  add(2, 'b', 300);
  add(3, 'a', 300);
  add(4, 'c', 300);
  book.answerAll('a', { inFlight: 1 });
  expect(told).toEqual([
    ['a1', { inFlight: 1 }],
    ['a3', { inFlight: 1 }],
  ]);
  expect(book.dueMs).toBe(300);
  book.answerAll(undefined, undefined);
  expect(told.slice(2)).toEqual([
    ['b2', undefined],
    ['c4', undefined],
  ]);
  expect(book.dueMs).toBe(Number.POSITIVE_INFINITY);
});

it('may be probed anew by who hears of an end', () => {
  const { book } = make(1);
  let ends = 0;
  const again = () => {
    ends++;
    if (!book.isFull) book.add(ends, 'a', 200, () => ends++);
  };
  book.add(0, 'a', 100, again);
  book.expire(100);
  expect([ends, book.size, book.dueMs]).toEqual([1, 1, 200]);
});
