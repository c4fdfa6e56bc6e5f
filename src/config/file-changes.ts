/** What to do about a file that was looked at: it is being written, it is to be read, or it has been. */
export type FileStep = 'wait' | 'read' | 'nothing';

/**
 * When a file that is followed is read, and whether what it says is news. It is read once it looks the same twice in a
 * row: half of a file may be a file that is quite right, with half of the customers.
 */
export class FileChanges {
  #seen: string;
  #read: string | undefined;
  #text: string;
  #told: string | undefined;
  #isWrong = false;

  /** As it was when it was first read. `mark` is what changes with a file: when it was changed, its length, which one it is. */
  constructor(mark: string, text: string) {
    this.#seen = mark;
    this.#read = mark;
    this.#text = text;
  }

  observe(mark: string): FileStep {
    const isSettled = this.#seen === mark;
    this.#seen = mark;
    if (mark === this.#read) return 'nothing';
    if (!isSettled) return 'wait';
    this.#read = mark;
    return 'read';
  }

  /** It could not be read, or somebody asks for it: the next look reads it, though nothing may have changed. */
  readAgain(): void {
    this.#read = undefined;
  }

  /** Somebody wants to know: what is wrong is told once more. */
  ask(): void {
    this.readAgain();
    this.#told = undefined;
  }

  /** Whether a text says something else than what holds. If not, all is well again, whatever was wrong in between. */
  isNews(text: string): boolean {
    if (text !== this.#text) return true;
    this.#told = undefined;
    return false;
  }

  /** It holds from now on. */
  applied(text: string): void {
    this.#text = text;
    this.#told = undefined;
    this.#isWrong = false;
  }

  /** Once after a problem that was told: it says again what holds. Nobody would know from silence. */
  isMended(): boolean {
    const wasWrong = this.#isWrong;
    this.#isWrong = false;
    return wasWrong;
  }

  /** Whether somebody has to be told of a problem: not of the same again and again. */
  isToBeTold(problem: string): boolean {
    this.#isWrong = true;
    if (problem === this.#told) return false;
    this.#told = problem;
    return true;
  }
}
