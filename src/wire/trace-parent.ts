/** `00-` + 32 digits + `-` + 16 digits + `-` + 2 digits (W3C Trace Context, "traceparent Header"). */
const LENGTH = 55;
const DASH = 0x2d;

/** Longer ones belong to versions to come, but none is known that is longer than this. */
const MOST_READ = 512;

/** Whether [from, to) is hexadecimal in small letters, and how: all zeros means that there is no id. */
function hexKind(text: string, from: number, to: number): 'none' | 'zeros' | 'id' {
  let kind: 'zeros' | 'id' = 'zeros';
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (!((code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66))) return 'none';
    if (code !== 0x30) kind = 'id';
  }
  return kind;
}

function isDash(text: string, at: number): boolean {
  return text.charCodeAt(at) === DASH;
}

/**
 * The trace id of a `traceparent`, undefined when it is not as W3C Trace Context has it: version `ff` is none, version
 * 00 has exactly these fields, a later one may have more after another dash.
 */
export function traceIdOf(traceparent: string): string | undefined {
  const { length } = traceparent;
  if (length < LENGTH || length > MOST_READ) return undefined;
  if (!isDash(traceparent, 2) || !isDash(traceparent, 35) || !isDash(traceparent, 52)) return undefined;
  if (hexKind(traceparent, 0, 2) === 'none' || traceparent.startsWith('ff')) return undefined;
  if (length > LENGTH && (traceparent.startsWith('00') || !isDash(traceparent, LENGTH))) return undefined;
  if (hexKind(traceparent, 3, 35) !== 'id' || hexKind(traceparent, 36, 52) !== 'id') return undefined;
  return hexKind(traceparent, 53, 55) === 'none' ? undefined : traceparent.slice(3, 35);
}
