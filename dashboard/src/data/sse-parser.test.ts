import { describe, expect, it } from 'vitest';
import { SseParser } from './sse-parser.js';

const STREAM =
  'retry: 2000\n\n: \n\nevent: snapshot\nid: a-1\ndata: {"x":1}\n\nevent: drain\nid: a-2\ndata: {}\n\n';

describe('a stream of events', () => {
  it('is read as messages, without comments and times to wait', () => {
    const parser = new SseParser();
    expect(parser.push(STREAM)).toEqual([
      { event: 'snapshot', id: 'a-1', data: '{"x":1}' },
      { event: 'drain', id: 'a-2', data: '{}' },
    ]);
    expect(parser.lastId).toBe('a-2');
  });

  it('is the same however it is cut, and however its lines end', () => {
    for (const text of [STREAM, STREAM.replaceAll('\n', '\r\n')]) {
      const parser = new SseParser();
      const messages = [...text].flatMap((char) => parser.push(char));
      expect(messages.map(({ event }) => event)).toEqual(['snapshot', 'drain']);
    }
  });

  it('joins lines of data, and takes a name only for its own message', () => {
    const parser = new SseParser();
    expect(parser.push('event: x\n\ndata: 1\ndata:2\ndata\n\n')).toEqual([
      { event: 'message', id: '', data: '1\n2\n' },
    ]);
  });

  it('keeps the rest of a message until it is whole', () => {
    const parser = new SseParser();
    expect(parser.push('event: a\ndata: 1\n')).toEqual([]);
    expect(parser.push('\n')).toEqual([{ event: 'a', id: '', data: '1' }]);
  });
});
