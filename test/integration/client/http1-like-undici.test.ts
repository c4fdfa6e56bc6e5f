import { type EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type Dispatcher, Client as UndiciClient } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../src/client/index.js';
import { SeededRandom } from '../../../src/core/index.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { type MadeAnswer, makeAnswer } from './made-answer.js';

expectNoMishaps();

/** PLIMSOLL_FUZZ=20000 looks further, PLIMSOLL_FUZZ_FROM elsewhere. */
const RUNS = Number(process.env['PLIMSOLL_FUZZ'] ?? 400);
const FROM = Number(process.env['PLIMSOLL_FUZZ_FROM'] ?? 0);
/** What has not ended so many turns after all of it was said never will. Turns, since a busy machine may be late with any. */
const PATIENCE = 50;
const AT_ONCE = 40;

interface Seen {
  readonly isFailed: boolean;
  readonly status: number;
  readonly reason: string;
  /** Names and values. */
  readonly headers: string;
  readonly hints: string;
  readonly body: string;
  readonly trailers: string;
  readonly error: string;
}

/** By path: what is to be said, and whoever waits for it. */
const asked = new Map<string, { readonly made: MadeAnswer; giveUp(): void }>();
const sockets = new Set<Socket>();

/** Answers what is asked for by its number. */
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => {});
  let text = '';
  socket.on('data', async (chunk) => {
    text += chunk.toString('latin1');
    if (!text.includes('\r\n\r\n')) return;
    const question = asked.get(text.split(' ')[1]!)!;
    const { pieces, isClosed } = question.made;
    text = '';
    for (const piece of pieces) {
      socket.write(piece, 'latin1');
      await turn();
    }
    if (isClosed) socket.end();
    for (let turns = 0; turns < PATIENCE; turns++) await turn();
    question.giveUp();
  });
});

let origin: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const latin = (parts: readonly Buffer[]) => parts.map((part) => part.toString('latin1'));
/** Undici leaves the blanks behind a value where they are. */
const fieldsOf = (parts: readonly Buffer[]) =>
  latin(parts)
    .map((part) => part.replace(/[ \t]+$/, ''))
    .join('|');

/** Asks, and says what came of it, in the form that both tell it in. */
function see(dispatcher: Dispatcher, path: string, made: MadeAnswer): Promise<Seen> {
  const { method } = made;
  return new Promise((resolve) => {
    const seen = { status: 0, reason: '', headers: '', hints: '', body: '', trailers: '' };
    let abort = () => {};
    asked.set(path, { made, giveUp: () => abort() });
    const end = (isFailed: boolean, error = '') => {
      asked.delete(path);
      resolve({ ...seen, isFailed, error });
    };
    dispatcher.dispatch({ path, method, ...(method === 'POST' && { body: 'x' }) }, {
      onConnect: (give: () => void) => {
        abort = give;
      },
      onHeaders: (status: number, headers: Buffer[], _resume: () => void, reason: string) => {
        if (status < 200) seen.hints += `${status}|${fieldsOf(headers)}|`;
        else Object.assign(seen, { status, reason, headers: fieldsOf(headers) });
        return true;
      },
      onData: (chunk: Buffer) => {
        seen.body += chunk.toString('latin1');
        return true;
      },
      onComplete: (trailers: Buffer[]) => {
        seen.trailers = fieldsOf(trailers);
        end(false);
      },
      onError: (error: Error) => end(true, `${(error as { code?: string }).code} ${error.message}`),
    } as unknown as Dispatcher.DispatchHandler);
  });
}

async function viaOurs(path: string, made: MadeAnswer): Promise<Seen> {
  const client = createClient({ backends: [origin], health: false, throttle: false, retry: false });
  try {
    return await see(client.dispatcher, `${path}/ours`, made);
  } finally {
    await client.destroy();
  }
}

async function viaUndici(path: string, made: MadeAnswer): Promise<Seen> {
  const client = new UndiciClient(origin);
  // It says of what a handler cannot be told.
  (client as EventEmitter).on('error', () => {});
  try {
    return await see(client, `${path}/theirs`, made);
  } finally {
    await client.destroy();
  }
}

/** Where one refuses what the other takes: why, what it is refused as, how it is known, and one such answer. */
type Exception = readonly [why: string, refusedAs: RegExp, isSo: RegExp, example: string];

const LONG = 'x: y\r\n'.repeat(2_500);

/** Ours refuses it. */
const STRICTER: readonly Exception[] = [
  [
    'a coding that nobody asked for, or chunks twice: others may read it to another end',
    /HPE_INVALID_TRANSFER_ENCODING/,
    /transfer-encoding:/i,
    'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  ],
  [
    'characters in the words behind a status that may stand in no line',
    /HPE_INVALID_(?:STATUS|CONSTANT)/,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
    /HTTP\/1\.[01] \d{3}[^\r\n]*(?:[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\n])/,
    'HTTP/1.1 200 O\x01K\r\ncontent-length: 0\r\n\r\n',
  ],
  [
    'empty lines before an answer (RFC 9112, 2.2 lets servers skip them, and not clients)',
    /HPE_INVALID_(?:CONSTANT|VERSION)/,
    /(?:^|\r\n\r\n)[\r\n]+HTTP/,
    '\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  ],
  [
    'a version that has another form on the wire, or none',
    /HPE_INVALID_(?:CONSTANT|VERSION)/,
    /HTTP\/(?:2\.0|0\.9)/,
    'HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n',
  ],
  [
    'a length that is not exact as a number',
    /HPE_INVALID_CONTENT_LENGTH/,
    /content-length:\s*\d{16}/i,
    'HTTP/1.1 200 OK\r\ncontent-length: 0000000000000003\r\n\r\nabc',
  ],
  [
    'a size of more than 12 digits',
    /HPE_INVALID_CHUNK_SIZE/,
    /[0-9a-f]{13}/i,
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0000000000003\r\nabc\r\n0\r\n\r\n',
  ],
  [
    'an extension of more than 4 KB',
    /HPE_INVALID_CHUNK_SIZE/,
    /;[^\r]{4096}/,
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;${'a'.repeat(5_000)}\r\nabc\r\n0\r\n\r\n`,
  ],
  [
    'a head that is too long with all that belongs to it: undici counts names and values',
    /UND_ERR_HEADERS_OVERFLOW/,
    /^[\s\S]{15000}/,
    `HTTP/1.1 200 OK\r\n${LONG}${'x: y\r\n'.repeat(300)}content-length: 0\r\n\r\n`,
  ],
];

/** Undici's refuses it. */
const LOOSER: readonly Exception[] = [
  [
    'a length with 204 or 304 says how long another answer would be (RFC 9110, 8.6), and what follows is not read',
    /UND_ERR_RES_CONTENT_LENGTH_MISMATCH/,
    /HTTP\/1\.[01] [23]04[\s\S]*content-length/i,
    'HTTP/1.1 304 Not Modified\r\ncontent-length: 3\r\n\r\n',
  ],
  [
    'a tab behind a length is a blank like any other (RFC 9110, 5.5)',
    /CONTENT_LENGTH/,
    /content-length:[^\r\n]*\t/i,
    'HTTP/1.1 200 OK\r\ncontent-length: 3\t\r\n\r\nabc',
  ],
  [
    'whatever an extension says is ignored (RFC 9112, 7.1.1), within its line',
    /chunk extens/,
    /[0-9a-f];/i,
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;\r\nabc\r\n0\r\n\r\n',
  ],
  [
    'a hint says nothing of the connection: its answer follows',
    /Data after `Connection: close`/,
    /^HTTP\/1\.1 10[23][\s\S]*connection:/i,
    'HTTP/1.1 103 Hints\r\nconnection: close\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  ],
];

function whyOf(list: readonly Exception[], text: string, { error }: Seen): string | undefined {
  return list.find(([, refusedAs, isSo]) => refusedAs.test(error) && isSo.test(text))?.[0];
}

function judge(text: string, ours: Seen, theirs: Seen): string | undefined {
  if (ours.isFailed && theirs.isFailed) return 'both fail';
  if (ours.isFailed) return whyOf(STRICTER, text, ours);
  if (theirs.isFailed) return whyOf(LOOSER, text, theirs);
  const keys = ['status', 'headers', 'hints', 'body', 'trailers'] as const;
  // Of one that comes in pieces undici keeps the last, and makes other characters of bytes that are no ASCII.
  const isSameReason = ours.reason.endsWith(theirs.reason) || /[^ -~]/.test(ours.reason);
  return isSameReason && keys.every((key) => ours[key] === theirs[key]) ? 'both agree' : undefined;
}

/** Through both. */
async function compare(path: string, made: MadeAnswer): Promise<{ ours: Seen; theirs: Seen }> {
  const [ours, theirs] = await Promise.all([viaOurs(path, made), viaUndici(path, made)]);
  return { ours, theirs };
}

it('what is read of an answer, and whether it is one, is as undici has it, or is listed here', async () => {
  const counts: Record<string, number> = {};
  const differences: unknown[] = [];
  for (let from = FROM; from < FROM + RUNS; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, FROM + RUNS - from) }, async (_, i) => {
        const path = `/${from + i}`;
        const made = makeAnswer(new SeededRandom(from + i));
        const { ours, theirs } = await compare(path, made);
        const text = made.pieces.join('');
        const verdict = judge(text, ours, theirs);
        counts[verdict ?? 'differs'] = (counts[verdict ?? 'differs'] ?? 0) + 1;
        if (verdict === undefined) differences.push({ seed: from + i, ...made, ours, theirs });
      }),
    );
  // biome-ignore lint/suspicious/noConsole: who looks further wants to know
  if (RUNS > 400) console.info(counts);
  expect(differences).toEqual([]);
  expect(counts['both agree']).toBeGreaterThan(RUNS / 4);
  expect(counts['both fail']).toBeGreaterThan(RUNS / 10);
}, 1_800_000);

it.each(STRICTER)('refused, and not by undici: %s', async (_why, refusedAs, isSo, example) => {
  expect(example).toMatch(isSo);
  const { ours, theirs } = await compare('/one', { pieces: [example], isClosed: true, method: 'GET' });
  expect([ours.isFailed, ours.error]).toEqual([true, expect.stringMatching(refusedAs)]);
  expect([theirs.isFailed, theirs.error]).toEqual([false, '']);
});

it.each(LOOSER)('taken, and refused by undici: %s', async (_why, refusedAs, isSo, example) => {
  expect(example).toMatch(isSo);
  const { ours, theirs } = await compare('/one', { pieces: [example], isClosed: true, method: 'GET' });
  expect([ours.isFailed, ours.error]).toEqual([false, '']);
  expect([theirs.isFailed, theirs.error]).toEqual([true, expect.stringMatching(refusedAs)]);
});
