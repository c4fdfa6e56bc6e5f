import { describe, expect, it } from 'vitest';
import { joined, members, readAnswerHead } from './answer-head.js';
import { exchange } from './exchange.contract.js';

/** What Node itself sends, as the truth to compare with. */
function headOf(set: Record<string, string | number | string[]>, ...given: unknown[]) {
  const { res } = exchange();
  res.sendDate = false;
  for (const [name, value] of Object.entries(set)) res.setHeader(name, value);
  const args = [200, ...given];
  (res.writeHead as (...args: unknown[]) => unknown).apply(res, args);
  const head = readAnswerHead(res, args);
  const sent = (res as unknown as { _header: string })._header.split('\r\n').slice(1, -2);
  const own = sent.filter((line) => !/^(connection|keep-alive|transfer-encoding):/i.test(line));
  const lines = [...head].flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));
  expect(lines.sort()).toEqual(
    own.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).sort(),
  );
  return Object.fromEntries(head);
}

describe('readAnswerHead', () => {
  it('sees what was set', () => {
    expect(headOf({ 'X-One': 'a', 'x-many': ['b', 'c'], age: 5 })).toEqual({
      'x-one': ['a'],
      'x-many': ['b', 'c'],
      age: ['5'],
    });
  });

  it.each([
    ['an object', [{ 'X-One': 'a', 'x-many': ['b', 'c'], age: 5 }]],
    ['an object after a message', ['fine', { 'X-One': 'a', 'x-many': ['b', 'c'], age: 5 }]],
    ['a flat array', [['X-One', 'a', 'x-many', 'b', 'X-Many', 'c', 'age', 5]]],
    [
      'pairs',
      [
        [
          ['X-One', 'a'],
          ['x-many', ['b', 'c']],
          ['age', 5],
        ],
      ],
    ],
  ])('sees what was handed in as %s', (_, given) => {
    expect(headOf({}, ...given)).toEqual({ 'x-one': ['a'], 'x-many': ['b', 'c'], age: ['5'] });
  });

  it('sees a single pair', () => {
    expect(headOf({}, [['X-One', 'a']])).toEqual({ 'x-one': ['a'] });
  });

  it.each([
    ['an object', [{ 'Cache-Control': 'no-store', 'x-two': 'b' }]],
    ['a flat array', [['Cache-Control', 'no-store', 'x-two', 'b']]],
  ])('lets what was handed in as %s override what was set', (_, given) => {
    expect(headOf({ 'cache-control': 'public', 'x-one': 'a' }, ...given)).toEqual({
      'cache-control': ['no-store'],
      'x-one': ['a'],
      'x-two': ['b'],
    });
  });

  it('is empty when there is nothing', () => {
    expect(headOf({})).toEqual({});
    expect(headOf({}, 'fine')).toEqual({});
    expect(headOf({}, undefined, undefined)).toEqual({});
  });
});

describe('lists', () => {
  const head = new Map([['vary', ['Accept, ,Origin', 'X-A']]]);

  it('are joined over all lines', () => {
    expect(joined(head, 'vary')).toBe('Accept, ,Origin, X-A');
    expect(joined(head, 'etag')).toBeUndefined();
    expect(members(head, 'vary')).toEqual(['accept', 'origin', 'x-a']);
    expect(members(head, 'etag')).toEqual([]);
  });
});
