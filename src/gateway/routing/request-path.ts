/** The path of a request as it is matched and as it is sent on: decided once, here. */
export interface RequestPath {
  /** What is sent on: single slashes, and everything else as it came. */
  readonly path: string;
  /** Its parts as they came. */
  readonly raw: readonly string[];
  /** The same as they are compared: decoded, in lower case. */
  readonly parts: readonly string[];
  readonly endsWithSlash: boolean;
  /** How others might read it: they must lead to the same route. */
  readonly others: readonly (readonly string[])[];
}

/** Letters, digits and single slashes are read by all in the same way, and so are dots inside a part. */
const PLAIN = /^(?:\/[a-z0-9_~-][a-z0-9_.~-]*)+$/;

/**
 * What somebody reads as a slash, a step up, or the end of the path, and somebody else does not: written as it is,
 * escaped, or escaped twice. Nobody who means well needs it.
 */
const FORBIDDEN =
  /[\0-\x20\x7f\\#?]|%(?![\da-f]{2})|%(?:[01][\da-f]|7f|2f|5c)|%25(?:25)*(?:[01][\da-f]|7f|2[ef]|5c)/i;

/** Where frameworks cut: parameters of a part, and what would end the path had it not been escaped. */
const CUT = /[;?#]/;

/** So often frameworks and proxies in a row decode at most. */
const MOST_DECODINGS = 4;

const NONE: readonly (readonly string[])[] = Object.freeze([]);

const ROOT: RequestPath = Object.freeze({
  path: '/',
  raw: [],
  parts: [],
  endsWithSlash: false,
  others: NONE,
});

/** Reads a path without its query. Undefined: it could mean something else to somebody else, and is refused. */
export function readPath(path: string): RequestPath | undefined {
  if (PLAIN.test(path)) {
    const parts = path.slice(1).split('/');
    return { path, raw: parts, parts, endsWithSlash: false, others: NONE };
  }
  if (path === '/') return ROOT;
  if (!path.startsWith('/') || FORBIDDEN.test(path)) return undefined;
  const raw = path.split('/').filter((part) => part !== '');
  const parts: string[] = [];
  for (const part of raw) {
    const plain = decoded(part);
    if (plain === undefined || isMisleading(plain)) return undefined;
    parts.push(plain.toLowerCase());
  }
  const endsWithSlash = raw.length > 0 && path.endsWith('/');
  const others = otherReadings(parts);
  if (others === undefined) return undefined;
  return { path: `/${raw.join('/')}${endsWithSlash ? '/' : ''}`, raw, parts, endsWithSlash, others };
}

/** Undefined for what is no UTF-8: most frameworks refuse it, and the rest read it each in its own way. */
function decoded(part: string): string | undefined {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** A step on the spot or up; or letters that become such, or a slash, where look-alikes are replaced (NFKC). */
function isMisleading(part: string): boolean {
  if (isDots(part)) return true;
  const usual = part.normalize('NFKC');
  return usual !== part && (isDots(usual) || /[/\\]/.test(usual));
}

/** `..;x` is a step up, too, to those who cut first. */
function isDots(part: string): boolean {
  return /^\.{1,2}(?:[;?#]|$)/.test(part);
}

/** Undefined: one of them is a step up. */
function otherReadings(parts: readonly string[]): readonly (readonly string[])[] | undefined {
  let found: string[][] | undefined;
  if (parts.some((part) => part.includes('%'))) {
    const plain = parts.map(fullyDecoded);
    if (plain.some((part) => isMisleading(part) || /[/\\]/.test(part))) return undefined;
    found = [plain];
  }
  for (const reading of found === undefined ? [parts] : [parts, ...found]) {
    const cut = reading.findIndex((part) => CUT.test(part));
    if (cut < 0) continue;
    found ??= [];
    // Each part by itself, and all that follows.
    found.push(
      withoutEmpty(reading.map((part) => part.replace(/[;?#].*$/s, ''))),
      withoutEmpty([...reading.slice(0, cut), reading[cut]!.replace(/[;?#].*$/s, '')]),
    );
  }
  return found ?? NONE;
}

function withoutEmpty(parts: readonly string[]): string[] {
  return parts.filter((part) => part !== '');
}

function fullyDecoded(part: string): string {
  let text = part;
  for (let i = 1; i < MOST_DECODINGS && text.includes('%'); i++) {
    const next = decoded(text);
    if (next === undefined) break;
    text = next;
  }
  return text.toLowerCase();
}
