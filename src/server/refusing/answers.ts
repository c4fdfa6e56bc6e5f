import { elapsedMs, type LoadReport, type Refusal } from '../../core/index.js';
import {
  ANSWERS,
  type AnswerName,
  answerName,
  encodeLoadReport,
  LAME_DUCK_HEADER,
  LOAD_REPORT_HEADER,
  renderRefusal,
} from '../../wire/index.js';

/**
 * A load report is as good as its age: clients reweigh each second and probe each few milliseconds (probes get a fresh
 * one). To put one together takes 5 µs, in 10 ms that is nothing.
 */
const REPORT_MS = 10;

/** A text that was put together of many is a tree of them; each answer that it is put into would go through all of it. */
export function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** What every answer says besides its own: load report, lame duck; and refusals, ready to be sent. */
export class Answers {
  readonly #read: (now: number) => LoadReport;
  readonly #isBackendLeaving: () => boolean;
  #madeMs = Number.NEGATIVE_INFINITY;
  #report: LoadReport = {};
  #value = '';
  #trustedLines = '';
  #strangerLines = '';
  #date = '';
  #isLameDuck = false;
  #isFailing = false;
  /** By name and form; emptied when the report changes. */
  readonly #rendered = new Map<AnswerName, (Buffer | undefined)[]>();

  /**
   * A worker of a cluster may leave while its backend, which is all workers together, stays: its connections are to be
   * let go of, and nothing else.
   */
  constructor(report: (now: number) => LoadReport, isBackendLeaving: () => boolean) {
    this.#read = report;
    this.#isBackendLeaving = isBackendLeaving;
    for (const name of Object.keys(ANSWERS) as AnswerName[])
      this.#rendered.set(name, new Array(8).fill(undefined));
  }

  get isLameDuck(): boolean {
    return this.#isLameDuck;
  }

  set isLameDuck(is: boolean) {
    this.#isLameDuck = is;
    this.#madeMs = Number.NEGATIVE_INFINITY;
  }

  /** When all of it was made: whoever makes something else of it makes that anew then. */
  get madeMs(): number {
    return this.#madeMs;
  }

  /** How loaded we are: nothing for strangers. */
  get report(): LoadReport {
    return this.#report;
  }

  /** Whether answers say that this backend is to be left alone. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Brings the report up to date, if it is not. */
  refresh(now: number): void {
    if (elapsedMs(this.#madeMs, now) < REPORT_MS) return;
    this.#madeMs = now;
    this.#report = this.#read(now);
    this.#value = encodeLoadReport(this.#report);
    this.#isFailing = this.#isLameDuck && this.#isBackendLeaving();
    this.#strangerLines = this.#isFailing ? `${LAME_DUCK_HEADER}: true\r\n` : '';
    // Nothing to say is not said.
    const report = this.#value === '' ? '' : `${LOAD_REPORT_HEADER}: ${this.#value}\r\n`;
    this.#trustedLines = flat(`${this.#strangerLines}${report}`);
    this.#date = new Date().toUTCString();
    for (const forms of this.#rendered.values()) forms.fill(undefined);
  }

  /** As text, to be put behind a status line. How loaded we are is nothing for strangers. */
  linesFor(isTrusted: boolean): string {
    return isTrusted ? this.#trustedLines : this.#strangerLines;
  }

  headersFor(isTrusted: boolean): [string, string][] {
    const headers: [string, string][] =
      isTrusted && this.#value !== '' ? [[LOAD_REPORT_HEADER, this.#value]] : [];
    if (this.#isFailing) headers.push([LAME_DUCK_HEADER, 'true']);
    if (this.#isLameDuck) headers.push(['connection', 'close']);
    return headers;
  }

  /** A whole answer, to be written to a socket as it is. */
  refusal(refusal: Refusal, isClosing: boolean, isHead: boolean, isTrusted: boolean): Buffer {
    const name = answerName(refusal);
    const forms = this.#rendered.get(name)!;
    const form = (isClosing ? 1 : 0) | (isHead ? 2 : 0) | (isTrusted ? 4 : 0);
    const known = forms[form];
    if (known !== undefined) return known;
    const further = isTrusted && this.#value !== '' ? [LOAD_REPORT_HEADER, this.#value] : [];
    const made = renderRefusal(name, { close: isClosing, head: isHead, lameDuck: this.#isFailing }, [
      'date',
      this.#date,
      ...further,
    ]);
    forms[form] = made;
    return made;
  }
}
