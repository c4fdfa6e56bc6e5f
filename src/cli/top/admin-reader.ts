import { type Dispatcher, request } from 'undici';
import { EventParser, type SeenEvent } from './events.js';
import { plain } from './plain.js';
import type { Seen } from './seen.js';

/** Longer than an admin port waits for its workers. */
const ANSWER_MS = 12_000;
const EVENTS_AGAIN_MS = 2_000;

/** What can be mended by whoever asks; its message is a line. */
export class AdminUnreadable extends Error {
  override readonly name = 'AdminUnreadable';
}

/** Reads an admin port. */
export class AdminReader {
  readonly #origin: string;
  readonly #headers: Record<string, string>;

  constructor(origin: string, token: string | undefined) {
    this.#origin = origin;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** Rejects with an AdminUnreadable, whatever goes wrong; at once when `signal` says so. */
  async snapshot(signal: AbortSignal): Promise<Seen> {
    const { status, text } = await this.#read('/snapshot', signal);
    const seen = parse(text);
    if (status !== 200) throw new AdminUnreadable(complaint(this.#origin, status, seen));
    if (seen === undefined || !('guard' in seen || 'services' in seen || 'total' in seen))
      throw new AdminUnreadable(`${this.#origin} is no admin port of Plimsoll: it has no snapshot`);
    return seen;
  }

  /** Tells of everything that happens from now on, until `signal` says so. Never rejects: whoever is gone comes back. */
  async follow(onEvent: (event: SeenEvent) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const { statusCode, body } = await this.#get('/events?snapshots=false', signal);
        if (statusCode === 200) await readEvents(body, onEvent);
        else await body.dump();
      } catch {
        // What there is to say of it is said where the snapshot is read.
      }
      await pause(EVENTS_AGAIN_MS, signal);
    }
  }

  /** By hand: a signal that is made of a long-lived one stays with it for good (AbortSignal.any of Node 20). */
  async #read(path: string, signal: AbortSignal): Promise<{ status: number; text: string }> {
    const answering = new AbortController();
    const leave = () => answering.abort();
    const late = () => answering.abort(new DOMException('too late', 'TimeoutError'));
    const timer = setTimeout(late, ANSWER_MS);
    signal.addEventListener('abort', leave);
    try {
      const { statusCode, body } = await this.#get(path, answering.signal);
      return { status: statusCode, text: await body.text().catch(() => '') };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }

  /**
   * Not by fetch, which refuses by itself whatever is on a port that browsers keep away from, such as 6000. A stream of
   * events may say nothing for hours.
   */
  async #get(path: string, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await request(this.#origin + path, { headers: this.#headers, signal, bodyTimeout: 0 });
    } catch (error) {
      throw new AdminUnreadable(`${this.#origin} cannot be read: ${reasonOf(error)}`);
    }
  }
}

/** Rejects when it is told to end. */
async function readEvents(
  body: Dispatcher.ResponseData['body'],
  onEvent: (event: SeenEvent) => void,
): Promise<void> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  for await (const bytes of body)
    for (const event of parser.read(decoder.decode(bytes as Buffer, { stream: true }))) onEvent(event);
}

function parse(text: string): Seen | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function complaint(origin: string, status: number, answer: object | undefined): string {
  if (status === 401)
    return `${origin} wants a token: give it by --token, or in PLIMSOLL_ADMIN_TOKEN, and look whether it is the right one`;
  const { detail } = (answer ?? {}) as { detail?: unknown };
  if (typeof detail === 'string') return `${origin} answers with ${status}: ${plain(detail)}`;
  return `${origin} is no admin port of Plimsoll: it answers with ${status}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EHOSTUNREACH: 'there is no way to that host',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'nobody answers there',
};

/** In our own words, as far as they are known. Where a name has several addresses, each has failed for the same reason. */
function reasonOf(error: unknown): string {
  const { code = '', name, message } = error as Error & { code?: string };
  if (name === 'TimeoutError') return `no answer within ${ANSWER_MS / 1_000} s`;
  // llhttp, Node's parser, names its complaints so.
  if (code.startsWith('HPE_')) return 'what listens there does not speak HTTP';
  return REASONS[code] ?? (message || code);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
    if (signal.aborted) {
      clearTimeout(timer);
      resolve();
    }
  });
}
