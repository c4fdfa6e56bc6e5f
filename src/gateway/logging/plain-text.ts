/** Longer paths are cut: a line is to be one piece of a pipe (4,096 bytes), with all that is beside it. */
const MOST_PATH = 1_024;
const MOST_NAME = 256;

const CUT = '...';

/** All that is no letter, digit or sign of ASCII. */
const NOT_ASCII = /[^\x20-\x7e]/;
const EACH_ODD = /[^\x20-\x7e]/gu;

/** What moves a cursor or turns writing around; JSON escapes those below a space by itself. */
const CONTROL = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Names that values of a query go by which let somebody in. */
const SECRET =
  /(?:token|secret|passw|pwd|api-?_?key|^key$|auth|credential|signature|^sig$|session|^sid$|jwt|^code$|^state$|otp|^pin$|assertion|ticket|cookie)/i;

/** Name and password of a URL. */
const CREDENTIALS = /:\/\/[^\s/@]*@/g;

const HIDDEN = '***';

/** The path of a URL as it came, in ASCII; its query only when that is asked for, and without secrets. */
export function loggedPath(url: string, withQuery: boolean): string {
  const target = url.startsWith('/') ? url : withoutOrigin(url);
  const at = target.indexOf('?');
  const path = asAscii(at < 0 ? target : target.slice(0, at));
  if (!withQuery || at < 0) return path;
  return `${path}?${asAscii(shownQuery(target.slice(at + 1, at + 1 + MOST_PATH)))}`;
}

/** `http://name:password@host/path`: who asks so says more than belongs into a log. */
function withoutOrigin(url: string): string {
  const from = url.indexOf('://');
  if (from < 0) return url;
  const path = url.indexOf('/', from + 3);
  return path < 0 ? '/' : url.slice(path);
}

function shownQuery(query: string): string {
  return query
    .split('&')
    .map((part) => {
      const at = part.indexOf('=');
      return at >= 0 && SECRET.test(decoded(part.slice(0, at))) ? `${part.slice(0, at)}=${HIDDEN}` : part;
    })
    .join('&');
}

/** A name may be written with escapes, and means the same. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

function asAscii(text: string): string {
  const short = cut(text, MOST_PATH);
  return NOT_ASCII.test(short) ? cut(short.replaceAll(EACH_ODD, escaped), MOST_PATH) : short;
}

function escaped(letter: string): string {
  try {
    return encodeURIComponent(letter);
  } catch {
    // Half of a letter.
    return '%EF%BF%BD';
  }
}

/** A name from outside, of a bounded length and without tricks. */
export function loggedName(text: string): string {
  return cut(text, MOST_NAME).replace(CONTROL, '?');
}

/** The text of an error, which may have been put together from anything. */
export function loggedMessage(text: string): string {
  return cut(text, MOST_PATH).replaceAll(CREDENTIALS, `://${HIDDEN}@`).replace(CONTROL, '?');
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}${CUT}`;
}
