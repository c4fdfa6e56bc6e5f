import { expect, it } from 'vitest';
import { chunksOf } from './body-chunks.js';

async function textOf(body: unknown): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(body)) chunks.push(Buffer.from(chunk as string));
  return Buffer.concat(chunks).toString();
}

async function* pieces() {
  yield 'hel';
  yield Buffer.from('lo');
}

it.each([
  ['text', 'hello'],
  ['a buffer', Buffer.from('hello')],
  ['a part of one', new DataView(new TextEncoder().encode('-hello-').buffer, 1, 5)],
  ['bytes', new TextEncoder().encode('hello').buffer],
  ['a blob', new Blob(['hel', 'lo'])],
])('reads %s', async (_name, body) => {
  expect(await textOf(body)).toBe('hello');
});

it('reads what comes in pieces, and nothing that it does not know', async () => {
  expect(await textOf(pieces())).toBe('hello');
  expect(() => chunksOf(new FormData())).toThrow('cannot be sent');
});
