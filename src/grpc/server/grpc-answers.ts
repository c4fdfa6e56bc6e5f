import type { Answers } from '../../server/refusing/answers.js';
import {
  type AnswerName,
  encodeLoadReportMessage,
  grpcRefusalFields,
  type Http2Fields,
  LAME_DUCK_HEADER,
  LOAD_REPORT_TRAILER,
} from '../../wire/index.js';

const NOTHING: Http2Fields = Object.freeze({});

/** What every status says besides its own: load report, lame duck; and refusals, ready to be sent. */
export class GrpcAnswers {
  readonly #answers: Answers;
  #madeMs = Number.NaN;
  #strangers: Http2Fields = NOTHING;
  #trusted: Http2Fields = NOTHING;
  /** Made when they are needed; forgotten when the report changes. */
  readonly #refusals = new Map<AnswerName, Http2Fields>();
  readonly #strangersRefusals = new Map<AnswerName, Http2Fields>();

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  /** To be added to the trailers of a call. */
  trailers(isTrusted: boolean): Http2Fields {
    this.#refresh();
    return isTrusted ? this.#trusted : this.#strangers;
  }

  /** A whole answer. It is shared: do not write to it. */
  refusal(name: AnswerName, isTrusted: boolean): Http2Fields {
    this.#refresh();
    const refusals = isTrusted ? this.#refusals : this.#strangersRefusals;
    const known = refusals.get(name);
    if (known !== undefined) return known;
    const made = Object.freeze({ ...grpcRefusalFields(name), ...this.trailers(isTrusted) });
    refusals.set(name, made);
    return made;
  }

  #refresh(): void {
    const { madeMs, report, isFailing } = this.#answers;
    if (madeMs === this.#madeMs) return;
    this.#madeMs = madeMs;
    this.#strangers = isFailing ? { [LAME_DUCK_HEADER]: 'true' } : NOTHING;
    const bytes = encodeLoadReportMessage(report);
    // Nothing to say is not said.
    this.#trusted =
      bytes.length === 0
        ? this.#strangers
        : { ...this.#strangers, [LOAD_REPORT_TRAILER]: bytes.toString('base64') };
    this.#refusals.clear();
    this.#strangersRefusals.clear();
  }
}

/**
 * The guard's fields beside those of a handler. Both may report load: messages of protobuf that follow each other are one.
 * Only the guard says that we are about to leave: a handler that hands on the error of a call has what that one's backend said
 * of itself.
 */
export function withTrailers(given: object | undefined, ours: Http2Fields): Http2Fields {
  const all = { ...ours, ...(given as Http2Fields | undefined) };
  if (ours[LAME_DUCK_HEADER] === undefined) delete all[LAME_DUCK_HEADER];
  const { [LOAD_REPORT_TRAILER]: report } = ours;
  const theirs = (given as Http2Fields | undefined)?.[LOAD_REPORT_TRAILER];
  if (typeof report === 'string' && typeof theirs === 'string')
    all[LOAD_REPORT_TRAILER] = Buffer.concat([
      Buffer.from(report, 'base64'),
      Buffer.from(theirs, 'base64'),
    ]).toString('base64');
  return all;
}
