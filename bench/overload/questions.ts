import type { ChildProcess } from 'node:child_process';

interface Question {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** In a child process: what it can be asked. Each answer may be a promise. */
export function answerQuestions(answers: Record<string, (argument: never) => unknown>): void {
  process.on('message', async ({ id, name, argument }: Question) => {
    try {
      const value = await answers[name]!(argument as never);
      process.send!({ id, value });
    } catch (error) {
      process.send!({ id, error: error instanceof Error ? error.stack : String(error) });
    }
  });
  // Nobody is left who could ask.
  process.on('disconnect', () => process.exit());
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** The parent's end: asks a child process over its channel. */
export class Asked {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #lastId = 0;

  constructor(child: ChildProcess, name: string) {
    this.#child = child;
    children.add(child);
    child.on('message', ({ id, value, error }: Answer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(value);
      else waiting?.reject(new Error(error));
    });
    const end = (why: string) => {
      children.delete(child);
      for (const { reject } of this.#waiting.values()) reject(new Error(`${name} has ended: ${why}`));
      this.#waiting.clear();
    };
    child.on('error', ({ message }) => end(message));
    child.on('exit', (code, signal) => end(signal ?? `exit code ${code}`));
  }

  ask<T>(name: string, argument?: unknown): Promise<T> {
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#child.send({ id, name, argument } satisfies Question);
    });
  }

  /** At once: a server that has fallen behind would take long to hear a polite word. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }
}
