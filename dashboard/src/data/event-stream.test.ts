import { describe, expect, it } from 'vitest';
import { type Connection, type EventStreamParts, followEvents } from './event-stream.js';

function streamOf(text: string): Response {
  return new Response(text, {
    headers: { 'content-type': 'text/event-stream', date: new Date().toUTCString() },
  });
}

/** Answers one after the other; when there are none left, the page is closed. */
async function follow(answers: (() => Response)[], token?: string) {
  const controller = new AbortController();
  const asked: Headers[] = [];
  const connections: Connection[] = [];
  const messages: string[] = [];
  const waits: number[] = [];
  const parts: EventStreamParts = {
    url: 'http://127.0.0.1/events',
    token,
    fetch: async (_url, init) => {
      asked.push(new Headers(init?.headers));
      const next = answers.shift();
      if (next === undefined) controller.abort();
      return next?.() ?? new Response(null, { status: 503 });
    },
    onMessage: ({ event }) => messages.push(event),
    onConnection: (connection) => connections.push(connection),
    onSkew: () => {},
    pause: async (ms) => void waits.push(ms),
    random: () => 1,
  };
  await followEvents(parts, controller.signal);
  return { asked, connections, messages, waits };
}

describe('a page that follows events', () => {
  it('sends its token, and what it has seen last', async () => {
    const text = 'event: snapshot\nid: m-7\ndata: {}\n\n';
    const { asked, messages } = await follow([() => streamOf(text), () => streamOf(text)], 'secret');
    expect(messages).toEqual(['snapshot', 'snapshot']);
    expect(asked.map((headers) => headers.get('authorization'))[0]).toBe('Bearer secret');
    expect(asked.map((headers) => headers.get('last-event-id'))).toEqual(['page-0', 'm-7', 'm-7']);
  });

  it('asks for a token, and says when the one it has is wrong', async () => {
    const refused = () => new Response(null, { status: 401 });
    expect((await follow([refused])).connections).toEqual([{ kind: 'token', wasWrong: false }]);
    expect((await follow([refused], 'wrong')).connections).toEqual([{ kind: 'token', wasWrong: true }]);
  });

  it('asks for another token when the one it has cannot be sent', async () => {
    const { asked, connections } = await follow([], '…');
    expect(connections).toEqual([{ kind: 'token', wasWrong: true }]);
    expect(asked).toEqual([]);
  });

  it('comes back later and later, and at once after it was heard', async () => {
    const down = () => new Response('{"detail":"32 readers are here already"}', { status: 503 });
    const { waits, connections } = await follow([
      down,
      down,
      down,
      () => streamOf('id: a-1\ndata: 1\n\n'),
      down,
    ]);
    expect(waits.slice(0, 5)).toEqual([500, 1_000, 2_000, 500, 1_000]);
    expect(connections[0]).toEqual({ kind: 'lost', reason: '32 readers are here already' });
  });
});
