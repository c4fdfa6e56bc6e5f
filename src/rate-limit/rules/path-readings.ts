/** Paths are far shorter. What is longer, and needs more than one look, is written to be misread. */
const MOST_LETTERS = 2_048;

/** Those who mean well write paths of one to four readings. With the longest paths so many take about a millisecond. */
const MOST_READINGS = 32;

/** So often frameworks and proxies in a row decode at most; more is written by nobody who means well. */
const MOST_DECODINGS = 4;

/** What has none of these is read by all in the same way, but for case and last slash. */
const AMBIGUOUS = /^[^/]|[%\\;#]|\/\.|\/\//;

/** `http://host/path` without its host, and `//host/path`, which some take for the same. */
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*/i;

/** One character as UTF-8 and escaped; whether it is a possible one is seen when it is decoded. */
const ESCAPED =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi;

const DOT = /^(?:\.|%2e)$/i;
const TWO_DOTS = /^(?:\.|%2e){2}$/i;

/**
 * What somebody, somewhere does before a path is looked up: each framework some of it, in an order of its own. Hence all
 * orders are tried.
 */
const HABITS: readonly ((path: string) => string)[] = [
  (path) => path.replace(AUTHORITY, ''),
  (path) => path.replaceAll('\\', '/'),
  (path) => path.replaceAll(/;[^/]*/g, ''),
  (path) => before(path, ';'),
  (path) => before(path, '#'),
  (path) => before(path, '?'),
  (path) => path.replaceAll(/\/{2,}/g, '/'),
  withoutDots,
  decodedOnce,
];

/** The parts of each reading, as they are compared. Undefined: there are more than anybody needs. */
export type Readings = readonly (readonly string[])[] | undefined;

let last: { readonly path: string; readonly readings: Readings } = { path: '/', readings: [[]] };

/** All that a path may be taken for. */
export function readingsOf(path: string): Readings {
  // Asked by one rule after the other about the same path.
  if (last.path !== path) {
    last = { path, readings: AMBIGUOUS.test(path) ? allReadings(path) : [partsOf(path)] };
  }
  return last.readings;
}

/** Part by part in lower case and decoded, so that one that has a slash in itself (`%2f`) stays one. */
export function partsOf(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map(plain);
}

function allReadings(path: string): Readings {
  if (path.length > MOST_LETTERS) return undefined;
  // Grows while it is gone through.
  const found = new Set([path]);
  for (const reading of found) {
    for (const habit of HABITS) found.add(habit(reading));
    if (found.size > MOST_READINGS) return undefined;
  }
  return [...found].map(partsOf);
}

function plain(part: string): string {
  let text = part;
  for (let i = 0; i < MOST_DECODINGS && text.includes('%'); i++) text = decodedOnce(text);
  return text.toLowerCase();
}

function before(path: string, mark: string): string {
  const at = path.indexOf(mark);
  return at < 0 ? path : path.slice(0, at);
}

/** As browsers and `new URL` do: an empty part is a part. */
function withoutDots(path: string): string {
  if (!/\.|%2e/i.test(path)) return path;
  const [first = '', ...parts] = path.split('/');
  const kept: string[] = [];
  for (const part of parts) {
    if (TWO_DOTS.test(part)) kept.pop();
    else if (!DOT.test(part)) kept.push(part);
  }
  return [first, ...kept].join('/');
}

/** One by one: a single bad escape must not keep the others from being read. */
function decodedOnce(path: string): string {
  return path.replace(ESCAPED, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}
