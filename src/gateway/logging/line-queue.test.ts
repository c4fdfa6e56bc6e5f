import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineQueue } from './line-queue.js';

const line = (n: number) => `{"n":${n}}\n`;

describe('LineQueue', () => {
  it('gives whole lines in their order', () => {
    const queue = new LineQueue();
    for (let n = 0; n < 3; n++) queue.push(line(n));
    expect(queue.bytes).toBe(24);
    expect(String(queue.take(17))).toBe('{"n":0}\n{"n":1}\n');
    expect(queue.bytes).toBe(8);
    // One that is longer than may be written at once is written by itself.
    expect(String(queue.take(1))).toBe('{"n":2}\n');
    expect(queue.take(100)).toBe(undefined);
    expect(queue.bytes).toBe(0);
  });

  it('drops what there is no room for, and says so in the next line', () => {
    const queue = new LineQueue(24);
    for (let n = 0; n < 5; n++) expect(queue.push(line(n))).toBe(n < 3);
    expect(queue.dropped).toBe(2);
    queue.take(24);
    queue.push(line(5));
    queue.take(100);
    queue.push(line(6));
    expect(String(queue.take(100))).toBe('{"n":6}\n');
    expect(queue.dropped).toBe(2);
  });

  it('tells how many it has dropped exactly once', () => {
    const queue = new LineQueue(40);
    for (let n = 0; n < 7; n++) queue.push(line(n));
    queue.take(8);
    queue.take(8);
    queue.take(8);
    expect(queue.push(line(7))).toBe(true);
    expect(String(queue.take(1_000)).split('\n')).toEqual(['{"n":3}', '{"n":4}', '{"n":7,"dropped":2}', '']);
  });

  it('counts what nobody will write', () => {
    const queue = new LineQueue();
    queue.push(line(1));
    queue.push(line(2));
    queue.take(1);
    queue.dropAll();
    expect([queue.isEmpty, queue.bytes, queue.dropped]).toEqual([true, 0, 1]);
    queue.push(line(3));
    expect(String(queue.take(100))).toBe('{"n":3,"dropped":1}\n');
  });

  it('counts bytes and not letters', () => {
    const queue = new LineQueue(10);
    expect(queue.push('{"é":"éé"}\n')).toBe(false);
  });

  it('loses nothing that it has taken, whatever comes and goes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant('push'), fc.constant('take')), { maxLength: 5_000 }),
        (steps) => {
          const queue = new LineQueue(2_000);
          let pushed = 0;
          let kept = 0;
          let text = '';
          for (const step of steps) {
            if (step === 'take') text += String(queue.take(100) ?? '');
            else if (queue.push(line(pushed++))) kept++;
          }
          while (!queue.isEmpty) text += String(queue.take(100));
          const lines = text
            .split('\n')
            .slice(0, -1)
            .map((each) => JSON.parse(each) as { dropped?: number; n: number });
          expect(lines).toHaveLength(kept);
          expect(queue.dropped).toBe(pushed - kept);
          expect(lines.map(({ n }) => n)).toEqual([...lines.map(({ n }) => n)].sort((a, b) => a - b));
          expect(queue.bytes).toBe(0);
        },
      ),
      { numRuns: 50 },
    );
  });
});
