import { type AnswerHeaders, firstValue } from './names.js';

/** Envoy takes the host out of its rotation on this header, whatever the answer is. */
export const LAME_DUCK_HEADER = 'x-envoy-immediate-health-check-fail';

/** On every answer of a lame duck: send nothing more, and let go of this connection. */
export const LAME_DUCK_HEADERS: readonly string[] = Object.freeze([
  LAME_DUCK_HEADER,
  'true',
  'connection',
  'close',
]);

/** Whether an answer says that its backend is a lame duck. Envoy goes by the header's presence, and so do we. */
export function isLameDuckAnswer(headers: AnswerHeaders): boolean {
  return firstValue(headers, LAME_DUCK_HEADER) !== undefined;
}
