/** What to do about a file that was looked at: it is being written, it is to be read, or it has been. */
export type FileStep = 'wait' | 'read' | 'nothing';

/**
 * When a file is read: once it looks the same twice in a row. A list that was half written when it was read may be a
 * shorter list that is quite right, and half of the service would be gone.
 */
export class FileSettling {
  #seen: string | undefined;
  #read: string | undefined;

  /** `mark` is what changes with the file: when it was written, how long it is, which one it is. */
  observe(mark: string): FileStep {
    const isFirst = this.#seen === undefined;
    const isSettled = isFirst || this.#seen === mark;
    this.#seen = mark;
    if (mark === this.#read) return 'nothing';
    // The first time nothing is known that could get lost, and the service waits for it.
    if (!isSettled) return 'wait';
    this.#read = mark;
    return 'read';
  }

  /** It could not be read: the next look tries again, though nothing has changed. */
  readAgain(): void {
    this.#read = undefined;
  }
}
