import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ApiError } from './api-error.js';

export interface ApiRequest {
  readonly url: string;
  readonly token: string | undefined;
  readonly ca: string | undefined;
  /** Until the answer begins, and for a body that is read as one, until it ends. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** 500 slices of 100 endpoints, at 500 bytes each, are 25 MB. */
const MOST_BODY_BYTES = 32_000_000;

/** What an API server says of a refusal is a few hundred bytes. */
const MOST_REFUSAL_BYTES = 64_000;

/** A body, all of it. */
export async function fetchText(asked: ApiRequest): Promise<string> {
  const sent = send(asked);
  const timer = giveUpAfter(sent, asked.timeoutMs);
  try {
    return await readText(await answerTo(sent), MOST_BODY_BYTES);
  } finally {
    clearTimeout(timer);
    sent.destroy();
  }
}

/** A body as it comes. It ends when nothing has come for `idleMs`, which is no error: the other end may have no news. */
export async function* fetchChunks(asked: ApiRequest, idleMs: number): AsyncGenerator<Uint8Array> {
  const sent = send(asked);
  const timer = giveUpAfter(sent, asked.timeoutMs);
  let isIdle = false;
  let idle: NodeJS.Timeout | undefined;
  try {
    const answer = await answerTo(sent);
    clearTimeout(timer);
    idle = setTimeout(() => {
      isIdle = true;
      sent.destroy();
    }, idleMs).unref();
    for await (const chunk of answer) {
      idle.refresh();
      yield chunk as Uint8Array;
    }
  } catch (error) {
    if (!isIdle) throw error;
  } finally {
    clearTimeout(timer);
    clearTimeout(idle);
    sent.destroy();
  }
}

/** A connection each: there are few of them, and nothing is left behind. */
function send({ url, token, ca, signal }: ApiRequest): ClientRequest {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  const sent = request(url, {
    agent: false,
    signal,
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(ca === undefined ? {} : { ca }),
  });
  // Also after the answer, when nobody else listens any more.
  sent.on('error', () => {});
  sent.on('socket', (socket) => {
    // A connection that died unseen is noticed sooner than by silence.
    socket.setKeepAlive(true, 30_000);
    socket.unref();
  });
  sent.end();
  return sent;
}

function giveUpAfter(sent: ClientRequest, timeoutMs: number): NodeJS.Timeout {
  const error = new Error(`no answer within ${timeoutMs} ms`);
  return setTimeout(() => sent.destroy(error), timeoutMs).unref();
}

async function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  if (answer.statusCode === 200) return answer;
  throw new ApiError(answer.statusCode ?? 0, `HTTP ${answer.statusCode}: ${await refusalOf(answer)}`);
}

/** Its own words, when they can be read: they name the right that is missing. */
async function refusalOf(answer: IncomingMessage): Promise<string> {
  try {
    const { message } = JSON.parse(await readText(answer, MOST_REFUSAL_BYTES)) as { message?: unknown };
    return String(message).slice(0, 300);
  } catch {
    return answer.statusMessage ?? '';
  }
}

async function readText(answer: IncomingMessage, mostBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer) {
    length += (piece as Uint8Array).length;
    if (length > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`);
    pieces.push(piece as Uint8Array);
  }
  return Buffer.concat(pieces).toString('utf8');
}
