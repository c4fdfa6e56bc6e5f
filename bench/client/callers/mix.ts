import { Readable } from 'node:stream';
import type { Client } from 'plimsoll/client';

export type Method = 'GET' | 'POST';

/** One way to ask, and to be told whether the answer is right. */
interface Way {
  readonly method: Method;
  readonly send: (client: Client, text: string) => Promise<{ status: number; text: string }>;
}

function byRequest(method: Method, bodyOf?: (text: string) => string | Readable): Way {
  return {
    method,
    send: async (client, text) => {
      const path = method === 'GET' ? text : '/';
      const body = bodyOf?.(text);
      const answer = await client.request(path, body === undefined ? { method } : { method, body });
      return { status: answer.statusCode, text: await answer.body.text() };
    },
  };
}

function byFetch(method: Method, bodyOf?: (text: string) => string | Readable): Way {
  return {
    method,
    send: async (client, text) => {
      const path = method === 'GET' ? text : '/';
      const body = bodyOf?.(text);
      const answer = await client.fetch(
        path,
        body === undefined ? { method } : { method, body, duplex: 'half' },
      );
      return { status: answer.status, text: await answer.text() };
    },
  };
}

const asText = (text: string) => text;
/** In two pieces, the second a moment later. */
const asStream = (text: string) => Readable.from(inPieces(text));

async function* inPieces(text: string): AsyncGenerator<string> {
  const half = text.length >> 1;
  yield text.slice(0, half);
  await null;
  yield text.slice(half);
}

/** Half of them may be sent again whatever happened, half of them not. */
const WAYS: readonly Way[] = [
  byRequest('GET'),
  byRequest('POST', asText),
  byRequest('GET'),
  byRequest('POST', asStream),
  byFetch('GET'),
  byFetch('POST', asText),
  byRequest('GET'),
  byFetch('POST', asStream),
];

/** Request number `id`: its method, and what was wrong with its answer, if anything. */
export function ask(client: Client, id: number): { method: Method; done: Promise<string | undefined> } {
  const { method, send } = WAYS[id % WAYS.length]!;
  const text = method === 'GET' ? `/echo/${id}` : JSON.stringify({ id, filler: 'x'.repeat(id % 200) });
  const wanted = method === 'GET' ? JSON.stringify({ path: text }) : text;
  const done = send(client, text).then(
    (answer) => {
      if (answer.status >= 400) return `status ${answer.status}: ${answer.text.slice(0, 200)}`;
      return answer.text === wanted ? undefined : `wrong echo: ${answer.text.slice(0, 200)}`;
    },
    (error: Error & { code?: string; cause?: Error & { code?: string } }) => describe(error),
  );
  return { method, done };
}

function describe(error: Error & { code?: string; cause?: Error & { code?: string } }): string {
  const { cause } = error;
  const own = `${error.code ?? error.name}: ${error.message}`;
  return cause === undefined ? own : `${own} (${cause.code ?? cause.name}: ${cause.message})`;
}
