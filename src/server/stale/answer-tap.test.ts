import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type AnswerListener, tapAnswer } from './answer-tap.js';
import { exchange } from './exchange.contract.js';

function tapped() {
  const { res } = exchange();
  const events: unknown[] = [];
  const listener: AnswerListener = {
    onHead: ({ statusCode }, args) => void events.push(['head', statusCode, ...args]),
    onChunk: (_, chunk, encoding) => void events.push(['chunk', chunk, encoding]),
    onEnd: () => void events.push(['end']),
  };
  tapAnswer(res, listener);
  return { res, events, listener };
}

describe('tapAnswer', () => {
  it('hears of a head that is written, pieces and the end', () => {
    const { res, events } = tapped();
    expect(res.writeHead(201, { 'x-a': '1' })).toBe(res);
    expect(res.write('one', 'latin1')).toBe(true);
    const bytes = new Uint8Array([1]);
    res.write(bytes);
    expect(res.end()).toBe(res);
    expect(events).toEqual([
      ['head', 201, 201, { 'x-a': '1' }],
      ['chunk', 'one', 'latin1'],
      ['chunk', bytes, undefined],
      ['end'],
    ]);
  });

  it('hears of a head that nobody wrote', () => {
    const { res, events } = tapped();
    res.statusCode = 404;
    res.end('676f6e65', 'hex');
    expect(events).toEqual([['head', 404, 404], ['chunk', '676f6e65', 'hex'], ['end']]);
    const written = tapped();
    written.res.write('a');
    expect(written.events).toEqual([
      ['head', 200, 200],
      ['chunk', 'a', undefined],
    ]);
    const flushed = tapped();
    flushed.res.flushHeaders();
    expect(flushed.events).toEqual([['head', 200, 200]]);
  });

  it.each([[[]], [[() => {}]], [[undefined, () => {}]], [[null]]])('hears of no piece in end(%j)', (args) => {
    const { res, events } = tapped();
    (res.end as (...args: unknown[]) => unknown).apply(res, args);
    expect(events).toEqual([['head', 200, 200], ['end']]);
  });

  it('hears of nothing that Node refuses', () => {
    const { res, events } = tapped();
    expect(() => res.writeHead(99)).toThrow(RangeError);
    expect(() => res.write(5 as unknown as string)).toThrow(TypeError);
    expect(events).toEqual([]);
    res.end();
    expect(() => res.writeHead(200)).toThrow('headers');
    expect(events).toEqual([['head', 200, 200], ['end']]);
  });

  it('calls what others have put there, and lets others come after', () => {
    const { res } = exchange();
    const calls: string[] = [];
    const wrap = (name: string) => {
      const inner = res.end as (...args: unknown[]) => ServerResponse;
      res.end = (...args: unknown[]) => {
        calls.push(name);
        return inner.apply(res, args);
      };
    };
    wrap('before');
    tapAnswer(res, {
      onHead: () => void calls.push('head'),
      onChunk: () => {},
      onEnd: () => void calls.push('end'),
    });
    wrap('after');
    res.end();
    expect(calls).toEqual(['after', 'before', 'head', 'end']);
  });

  it('has one listener: the first', () => {
    const { res, events, listener } = tapped();
    tapAnswer(res, { ...listener, onHead: () => expect.unreachable() });
    res.end('a');
    expect(events).toHaveLength(3);
  });
});
