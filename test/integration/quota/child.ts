import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** From the project's root, where npm runs everything: a bench uses these programs too, from a place of its own. */
const PROGRAMS = 'test/integration/quota/processes';

/** A program of these tests, in a process of its own, that answers each message with one. */
export class Child {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  /** One question at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(program: string, options: object = {}) {
    const path = join(process.cwd(), PROGRAMS, `${program}.mjs`);
    this.#child = fork(path, [JSON.stringify(options)], { serialization: 'advanced' });
    this.#exited = once(this.#child, 'exit');
  }

  /** The next thing it says. */
  async said<T>(): Promise<T> {
    const ended = this.#exited.then(() => {
      throw new Error('it has ended');
    });
    ended.catch(() => {});
    return (await Promise.race([once(this.#child, 'message'), ended]))[0];
  }

  ask<T>(question: unknown): Promise<T> {
    const answer = this.#last.then(() => {
      const said = this.said<T>();
      this.#child.send(question as object);
      return said;
    });
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** It stands still, and does not know it. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** By itself. How it ended. */
  async ended(): Promise<number | null> {
    await this.#exited;
    return this.#child.exitCode;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
