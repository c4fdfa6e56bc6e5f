import type { LoadReport } from '../../core/index.js';
import { decodeLoadReport } from '../../wire/index.js';

/** What a backend reported of its load last, by whichever way. */
export class LastReport {
  #text: string | undefined = undefined;
  #report: LoadReport | undefined = undefined;

  get report(): LoadReport | undefined {
    return this.#report;
  }

  /** As it came with an answer. Many answers have the same, which is read once. */
  read(text: string | undefined): LoadReport | undefined {
    if (text === undefined) return undefined;
    if (text !== this.#text) {
      this.#text = text;
      this.#report = decodeLoadReport(text);
    }
    return this.#report;
  }

  set(report: LoadReport): void {
    this.#report = report;
    this.#text = undefined;
  }
}
