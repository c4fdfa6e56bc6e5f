import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** From the project's root, where npm runs everything: a bench uses these programs too, from a place of its own. */
const PROGRAMS = 'test/integration/gateway/stress/processes';

/** A program of these tests, in a process of its own, that answers each message with one. */
export class Program {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  private constructor(name: string, options: object) {
    this.#child = fork(join(process.cwd(), PROGRAMS, `${name}.mjs`), [JSON.stringify(options)]);
    this.#exited = once(this.#child, 'exit');
  }

  /** It, and the first thing it said. */
  static async start<T>(name: string, options: object = {}): Promise<readonly [Program, T]> {
    const made = new Program(name, options);
    return [made, await made.#said<T>()];
  }

  async #said<T>(): Promise<T> {
    const ended = this.#exited.then(() => {
      throw new Error('it has ended');
    });
    ended.catch(() => {});
    return (await Promise.race([once(this.#child, 'message'), ended]))[0];
  }

  ask<T>(question: object): Promise<T> {
    const said = this.#said<T>();
    this.#child.send(question);
    return said;
  }

  /** As whoever deploys does it: it may finish what it has begun. */
  async end(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#exited;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
