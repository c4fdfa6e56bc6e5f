import type { Perform } from './overflow-options.js';
import type { PerformedAnswer } from './queued-answer.js';
import type { QueuedRequest } from './queued-request.js';

/** Reasons are kept in Redis, and read by people: the first words are what matters. */
const LONGEST_REASON = 500;

export interface AttemptOptions {
  readonly attemptMs: number;
  readonly maxResultBytes: number;
  /** Aborted when nobody waits for attempts any more. */
  readonly cutOff: AbortSignal;
}

/** One attempt to perform a request, over when it takes too long or is cut off, whether or not it listens. */
export async function attempt(
  perform: Perform,
  request: QueuedRequest,
  { attemptMs, maxResultBytes, cutOff }: AttemptOptions,
): Promise<PerformedAnswer> {
  const over = new AbortController();
  const { signal } = over;
  const onCutOff = (): void => over.abort(new Error('it was cut off: its process was closed'));
  const timer = setTimeout(() => over.abort(new Error(`it took longer than ${attemptMs} ms`)), attemptMs);
  cutOff.addEventListener('abort', onCutOff);
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  try {
    if (cutOff.aborted) onCutOff();
    return await Promise.race([ended, asked(perform, request, signal, maxResultBytes)]);
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
    cutOff.removeEventListener('abort', onCutOff);
  }
}

/** What throws at once is a failed attempt like any other. */
async function asked(
  perform: Perform,
  request: QueuedRequest,
  signal: AbortSignal,
  maxResultBytes: number,
): Promise<PerformedAnswer> {
  signal.throwIfAborted();
  return await perform(request, { signal, maxResultBytes });
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text === '' ? 'it failed without a word' : text.slice(0, LONGEST_REASON);
}
