import { elapsedMs } from '../../core/index.js';
import { shownUrl } from '../rules/shown-url.js';

/**
 * After a failure nobody asks for so long, and twice as long after each further one: what breaks off for a moment is there
 * again within a second, and a host that is down is down for minutes, while each try may take seconds.
 */
const RETRY_MS = 1_000;
const MOST_RETRY_MS = 10_000;

/** How long keys that were fetched once serve while their host cannot be reached: outages are over within a day. */
const EARLIER_MS = 86_400_000;

/** A set of keys is a few kB; whoever sends more than this sends something else. */
const MOST_BYTES = 1 << 20;

/** The keys could not be had. That says nothing about a token. */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Fetches keys for jose, so that a host that is down or answers nonsense costs little: it is left alone for a while, and what
 * it said before holds. jose itself asks one at a time, again after ten minutes, and for a key that is not among them
 * at most every 30 s.
 */
export class RemoteKeys {
  readonly #fetch: Fetch;
  readonly #now: () => number;
  readonly #closing = new AbortController();
  readonly #onOutage: (error: KeysUnavailableError) => void;
  #failedMs = Number.NEGATIVE_INFINITY;
  /** In a row. */
  #failures = 0;
  #last: { readonly text: string; readonly atMs: number } | undefined = undefined;

  /** `now` in milliseconds of a clock that never goes back. `onOutage` is told of the first failure, and not of those that follow. */
  constructor(fetch: Fetch, now: () => number, onOutage: (error: KeysUnavailableError) => void = () => {}) {
    this.#onOutage = onOutage;
    this.#fetch = fetch;
    this.#now = now;
  }

  async get(url: string, init: RequestInit): Promise<Response> {
    const waitMs = Math.min(RETRY_MS * 2 ** (this.#failures - 1), MOST_RETRY_MS);
    if (elapsedMs(this.#failedMs, this.#now()) < waitMs) return this.#earlier(undefined);
    try {
      const signals = [this.#closing.signal, ...(init.signal ? [init.signal] : [])];
      const text = await keysIn(await this.#fetch(url, { ...init, signal: AbortSignal.any(signals) }));
      this.#last = { text, atMs: this.#now() };
      this.#failures = 0;
      return new Response(text);
    } catch (error) {
      this.#failedMs = this.#now();
      if (this.#failures++ === 0 && !this.#closing.signal.aborted) this.#onOutage(outage(url, error));
      return this.#earlier(error);
    }
  }

  close(): void {
    this.#closing.abort();
  }

  #earlier(cause: unknown): Response {
    if (this.#last !== undefined && elapsedMs(this.#last.atMs, this.#now()) < EARLIER_MS) {
      return new Response(this.#last.text);
    }
    throw new KeysUnavailableError('the keys of tokens cannot be had', { cause });
  }
}

function outage(url: string, cause: unknown): KeysUnavailableError {
  const { message, cause: below } = cause as Error;
  const { code } = Object(below) as { code?: unknown };
  const why = typeof code === 'string' ? code : message;
  return new KeysUnavailableError(`the keys of tokens cannot be had from ${shownUrl(url)}: ${why}`, {
    cause,
  });
}

async function keysIn(response: Response): Promise<string> {
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const { keys } = JSON.parse(text) as { keys?: unknown };
  if (Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)) return text;
  throw new Error('no set of keys');
}
