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
        const answer = await this.#get('/events?snapshots=false', signal);
        if (answer.status === 200 && answer.body !== null) await readEvents(answer.body, onEvent, signal);
        else await answer.body?.cancel();
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
      const answer = await this.#get(path, answering.signal);
      return { status: answer.status, text: await answer.text().catch(() => '') };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }

  async #get(path: string, signal: AbortSignal): Promise<Response> {
    try {
      return await fetch(this.#origin + path, { headers: this.#headers, signal, redirect: 'error' });
    } catch (error) {
      throw new AdminUnreadable(`${this.#origin} cannot be read: ${reasonOf(error)}`);
    }
  }
}

async function readEvents(
  body: NonNullable<Response['body']>,
  onEvent: (event: SeenEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const reader = body.getReader();
  // By hand: fetch itself forgets its signal when the answer has begun and garbage is collected (Node 20).
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  const parser = new EventParser();
  const decoder = new TextDecoder();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      for (const event of parser.read(decoder.decode(read.value, { stream: true }))) onEvent(event);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
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

/** fetch says only that it has failed; why is in what caused it, or in what caused that. */
function reasonOf(error: unknown): string {
  const { cause, name, message } = error as Error & { cause?: Error & { code?: string; errors?: Error[] } };
  if (name === 'TimeoutError') return `no answer within ${ANSWER_MS / 1_000} s`;
  if (cause?.code === 'ECONNREFUSED') return 'nothing listens there';
  if (cause?.code === 'ENOTFOUND') return 'there is no such host';
  return cause?.message || cause?.code || message;
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
