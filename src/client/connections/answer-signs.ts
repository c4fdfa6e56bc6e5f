import { LAME_DUCK_HEADER, LOAD_REPORT_HEADER } from '../../wire/index.js';
import { headerText, type RawHeader, type RawHeaders } from '../dispatch/raw-headers.js';

/** What the headers of an answer say of its backend. */
export interface AnswerSigns {
  report: string | undefined;
  isLameDuck: boolean;
}

/** One for all: it is read at once, and one an answer would be one more to throw away. */
const signs: AnswerSigns = { report: undefined, isLameDuck: false };

/** Reads the two headers that every answer may have, without making a string of any other. Valid until the next call. */
export function readAnswerSigns(headers: RawHeaders): Readonly<AnswerSigns> {
  signs.report = undefined;
  signs.isLameDuck = false;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i]!;
    const { length } = name;
    if (length === LOAD_REPORT_HEADER.length && isNamed(name, LOAD_REPORT_HEADER))
      signs.report ??= headerText(headers[i + 1]);
    else if (length === LAME_DUCK_HEADER.length && isNamed(name, LAME_DUCK_HEADER)) signs.isLameDuck = true;
  }
  return signs;
}

function isNamed(name: RawHeader, expected: string): boolean {
  return headerText(name)!.toLowerCase() === expected;
}
