/** What an error is on its way to another process. */
interface SentError {
  readonly name: string;
  readonly message: string;
}

/**
 * A message between the primary and a worker of a gateway. `node:cluster` uses the same pipe, and so may others: ours carry
 * a mark, and what does not is not for us.
 */
export type Frame =
  | { readonly plimsoll: 'tell'; readonly what: string; readonly body: unknown }
  | { readonly plimsoll: 'ask'; readonly what: string; readonly body: unknown; readonly id: number }
  | { readonly plimsoll: 'answer'; readonly id: number; readonly body: unknown }
  | { readonly plimsoll: 'failure'; readonly id: number; readonly error: SentError };

/** By what is told or asked. What they return is the answer; what they throw is thrown where it was asked. */
export type Handlers = Readonly<Record<string, (body: never) => unknown>>;

interface Waiting {
  readonly resolve: (body: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** A few are under way at most times; so many mean that the other side stands still. */
const MOST_WAITING = 10_000;

/** One end of the pipe between two processes: questions with answers, and things that are only told. */
export class Channel {
  readonly #send: (frame: Frame) => void;
  readonly #handlers: Handlers;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #closed: Error | undefined = undefined;

  /** `send` must not throw. */
  constructor(send: (frame: Frame) => void, handlers: Handlers) {
    this.#send = send;
    this.#handlers = handlers;
  }

  tell(what: string, body?: unknown): void {
    if (this.#closed === undefined) this.#send({ plimsoll: 'tell', what, body });
  }

  /** Rejects when the other side throws, is gone, or does not answer in time. */
  ask<T>(what: string, body: unknown, timeoutMs: number): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (this.#waiting.size >= MOST_WAITING)
      return Promise.reject(new Error('too many questions are under way'));
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`no answer within ${timeoutMs} ms`));
      }, timeoutMs).unref();
      this.#waiting.set(id, { resolve: resolve as (body: unknown) => void, reject, timer });
      this.#send({ plimsoll: 'ask', what, body, id });
    });
  }

  /** Whatever came through the pipe. */
  receive(value: unknown): void {
    const frame = frameOf(value);
    if (frame === undefined || this.#closed !== undefined) return;
    if (frame.plimsoll === 'tell') void this.#handle(frame.what, frame.body).catch(() => {});
    else if (frame.plimsoll === 'ask') void this.#answer(frame.id, frame.what, frame.body);
    else this.#settle(frame);
  }

  /** The other side is gone: nobody answers any more. */
  close(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = new Error(reason);
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(this.#closed);
    }
    this.#waiting.clear();
  }

  async #handle(what: string, body: unknown): Promise<unknown> {
    if (!Object.hasOwn(this.#handlers, what)) throw new Error(`nobody answers ${what}`);
    return await this.#handlers[what]!(body as never);
  }

  async #answer(id: number, what: string, body: unknown): Promise<void> {
    try {
      const answer = await this.#handle(what, body);
      if (this.#closed === undefined) this.#send({ plimsoll: 'answer', id, body: answer });
    } catch (error) {
      if (this.#closed === undefined) this.#send({ plimsoll: 'failure', id, error: sentError(error) });
    }
  }

  #settle(frame: Extract<Frame, { plimsoll: 'answer' | 'failure' }>): void {
    const waiting = this.#waiting.get(frame.id);
    // It was given up.
    if (waiting === undefined) return;
    this.#waiting.delete(frame.id);
    clearTimeout(waiting.timer);
    if (frame.plimsoll === 'answer') waiting.resolve(frame.body);
    else waiting.reject(errorOf(frame.error));
  }
}

function frameOf(value: unknown): Frame | undefined {
  const { plimsoll, what, id } = Object(value) as Readonly<Record<string, unknown>>;
  if (plimsoll === 'tell') return typeof what === 'string' ? (value as Frame) : undefined;
  if (typeof id !== 'number') return undefined;
  if (plimsoll === 'ask') return typeof what === 'string' ? (value as Frame) : undefined;
  return plimsoll === 'answer' || plimsoll === 'failure' ? (value as Frame) : undefined;
}

export function sentError(error: unknown): SentError {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}

/** What is impossible stays a RangeError: it is treated in another way than what fails. */
export function errorOf(sent: SentError | undefined): Error {
  const { name, message = 'it failed' } = sent ?? ({} as Partial<SentError>);
  return name === 'RangeError' ? new RangeError(message) : new Error(message);
}
