import { type SseMessage, SseParser } from './sse-parser.js';

/** How the page is connected, and what to tell its reader. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** Comes back by itself. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** Needs somebody to type a token. */
  | { readonly kind: 'token'; readonly wasWrong: boolean };

export interface EventStreamParts {
  readonly url: string;
  readonly token: string | undefined;
  readonly fetch: typeof fetch;
  readonly onMessage: (message: SseMessage) => void;
  readonly onConnection: (connection: Connection) => void;
  /** How far the server's clock is behind ours. */
  readonly onSkew: (skewMs: number) => void;
  /** Resolves after a time, or when the signal says so. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

/** A snapshot comes each second: after so much silence the line is dead, whatever the browser thinks. */
const SILENCE_MS = 10_000;
const FIRST_WAIT_MS = 500;
/** A gateway that restarts is back within seconds; one that does not should be asked seldom. */
const LONGEST_WAIT_MS = 8_000;

/** An id of no process: whoever comes with it is told all that is still known, which is what a new page wants to show. */
const NOTHING_SEEN = 'page-0';

/** Reads events until the signal, and comes back whenever the stream ends. Resolves when a token is needed, too. */
export async function followEvents(parts: EventStreamParts, signal: AbortSignal): Promise<void> {
  let failures = 0;
  let lastId = NOTHING_SEEN;
  const noteId = (id: string) => {
    lastId = id;
    failures = 0;
  };
  while (!signal.aborted) {
    const outcome = await readOnce(parts, lastId, noteId, signal);
    if (signal.aborted) return;
    parts.onConnection(outcome);
    if (outcome.kind === 'token') return;
    const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
    failures++;
    // Half of it by chance: pages that lost the same gateway must not all come back at once.
    await parts.pause(ceiling * (0.5 + 0.5 * parts.random()), signal);
  }
}

type Ending = Extract<Connection, { kind: 'lost' | 'token' }>;

/** One connection, from its first to its last byte. Never rejects. */
async function readOnce(
  { url, token, fetch, onMessage, onConnection, onSkew }: EventStreamParts,
  lastId: string,
  noteId: (id: string) => void,
  signal: AbortSignal,
): Promise<Ending> {
  const quiet = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(new Error(`silent for ${SILENCE_MS / 1_000} s`)), SILENCE_MS);
  };
  // A browser does not send such a header, however often it is asked to.
  if (token !== undefined && /[^\x20-\x7e\x80-\xff]/.test(token)) return { kind: 'token', wasWrong: true };
  try {
    heard();
    const headers: Record<string, string> = { accept: 'text/event-stream', 'last-event-id': lastId };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    const answer = await fetch(url, {
      headers,
      cache: 'no-store',
      signal: AbortSignal.any([signal, quiet.signal]),
    });
    if (answer.status === 401) return { kind: 'token', wasWrong: token !== undefined };
    if (!answer.ok || answer.body === null) return { kind: 'lost', reason: await reasonOf(answer) };
    const date = Date.parse(answer.headers.get('date') ?? '');
    if (Number.isFinite(date)) onSkew(Date.now() - date);
    onConnection({ kind: 'open' });
    const parser = new SseParser();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { kind: 'lost', reason: 'the stream has ended' };
      heard();
      for (const message of parser.push(value)) onMessage(message);
      if (parser.lastId !== '') noteId(parser.lastId);
    }
  } catch (error) {
    return { kind: 'lost', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** As the admin port words it (RFC 9457), or the bare status. */
export async function reasonOf(answer: Response): Promise<string> {
  try {
    const { detail, title } = (await answer.json()) as { detail?: string; title?: string };
    return detail ?? title ?? `status ${answer.status}`;
  } catch {
    return `status ${answer.status}`;
  }
}
