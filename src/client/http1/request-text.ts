import { HeadWriter } from '../../wire/head-writer.js';
import { isNamed, isWithin, parseDigits } from '../../wire/text.js';

/** A request as it is written. */
export interface RequestText {
  /** Its head, of characters that are a byte each. */
  readonly head: string;
  readonly body: Uint8Array | undefined;
  /** Its answer has no body, whatever it says. */
  readonly isHead: boolean;
}

/** What is asked for, as for undici's `dispatch`, with the headers as a flat list of texts. */
export interface RequestOptions {
  readonly path: string;
  readonly method: string;
  readonly headers: readonly string[];
  readonly body?: unknown;
  readonly query?: unknown;
  readonly upgrade?: unknown;
  readonly headersTimeout?: unknown;
  readonly bodyTimeout?: unknown;
  readonly reset?: unknown;
  readonly blocking?: unknown;
}

const LENGTH_DIGITS = 15;

/** Whether a body is meant by its method: one that has none says so (RFC 9110, 8.6). */
const METHODS: ReadonlyMap<string, boolean> = new Map([
  ['GET', false],
  ['HEAD', false],
  ['OPTIONS', false],
  ['DELETE', false],
  ['POST', true],
  ['PUT', true],
  ['PATCH', true],
]);

/**
 * Writes a request that is simple: all of it is there, and nothing of it is out of the ordinary. Undefined for any other, and
 * for what may be none: whoever takes those knows what to say of them. `host` is that of the backend.
 */
export function requestText(options: RequestOptions, host: string): RequestText | undefined {
  const { method, path, headers } = options;
  const meansBody = METHODS.get(method);
  const body = bodyOf(options.body);
  if (meansBody === undefined || body === null || isSpecial(options)) return undefined;
  if (!path.startsWith('/') || !isWithin(path, 0x21, 0xff)) return undefined;
  const isHead = method === 'HEAD';
  const hosts = countHosts(headers);
  if (hosts > 1) return undefined;
  head.begin();
  head.put(method);
  head.put(' ');
  head.put(path);
  head.put(' HTTP/1.1\r\n');
  if (hosts === 0) head.putField('host', host);
  // Servers that send a body to HEAD all the same may do so after a while, and on it nothing else follows. As undici has it.
  head.put(isHead ? 'connection: close\r\n' : 'connection: keep-alive\r\n');
  let length: number | undefined;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i]!;
    const fate = fateOf(name);
    if (fate === 'other') return undefined;
    if (fate === 'length') {
      if (length !== undefined) return undefined;
      length = parseDigits(headers[i + 1]!, LENGTH_DIGITS);
    } else if (!head.tryPutField(name, headers[i + 1]!)) return undefined;
  }
  const bytes = body?.byteLength ?? 0;
  if (length !== undefined && length !== bytes) return undefined;
  // A server that expects none may take it for the next request: its connection must not be used again.
  if (bytes > 0 && !meansBody) return undefined;
  if (meansBody) head.putField('content-length', String(bytes));
  head.put('\r\n');
  return { head: head.take(), body: bytes === 0 ? undefined : body, isHead };
}

/** One for all: a request is written in one go. */
const head = new HeadWriter();

function countHosts(headers: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i + 1 < headers.length; i += 2)
    if (headers[i]!.length === 4 && isNamed(headers[i]!, 'host')) hosts++;
  return hosts;
}

/** Null: it comes by and by, or is something to be put together first. */
function bodyOf(body: unknown): Uint8Array | undefined | null {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  return body instanceof Uint8Array ? body : null;
}

function isSpecial(options: RequestOptions): boolean {
  const { query, upgrade, headersTimeout, bodyTimeout, reset, blocking } = options;
  return Boolean(query || upgrade || reset || blocking) || headersTimeout != null || bodyTimeout != null;
}

/** By its length first: this runs for each header of each request. */
function fateOf(name: string): 'length' | 'other' | undefined {
  switch (name.length) {
    case 6:
      return isNamed(name, 'expect') ? 'other' : undefined;
    case 7:
      return isNamed(name, 'upgrade') ? 'other' : undefined;
    case 10:
      return isNamed(name, 'connection') || isNamed(name, 'keep-alive') ? 'other' : undefined;
    case 14:
      return isNamed(name, 'content-length') ? 'length' : undefined;
    case 17:
      return isNamed(name, 'transfer-encoding') ? 'other' : undefined;
    default:
      return undefined;
  }
}
