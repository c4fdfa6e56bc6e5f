import type { RawHeader, RawHeaders } from '../../client/dispatch/raw-headers.js';
import { isHeaderName, isHeaderValue } from '../../wire/header-chars.js';
import {
  LAME_DUCK_HEADER,
  LOAD_REPORT_HEADER,
  OVERLOADED_HEADER,
  PUSHBACK_HEADER,
} from '../../wire/index.js';
import { isNamed, parseDigits } from '../../wire/text.js';
import { connectionOptions } from './connection-options.js';
import { headText } from './head-text.js';
import type { HeaderEdits } from './header-edits.js';

const LENGTH_DIGITS = 15;

/** What becomes of a header of an answer. */
type Kind = 'keep' | 'drop' | 'content-length' | 'connection' | 'date';

/** By its length first: this runs for each header of each answer. */
function kindOf(name: string): Kind {
  switch (name.length) {
    case 4:
      if (isNamed(name, 'date')) return 'date';
      break;
    case 7:
      if (isNamed(name, 'upgrade') || isNamed(name, 'trailer')) return 'drop';
      break;
    case 10:
      if (isNamed(name, 'connection')) return 'connection';
      if (isNamed(name, 'keep-alive')) return 'drop';
      break;
    case 14:
      if (isNamed(name, 'content-length')) return 'content-length';
      break;
    case 17:
      if (isNamed(name, 'transfer-encoding')) return 'drop';
      break;
    case LOAD_REPORT_HEADER.length:
      if (isNamed(name, LOAD_REPORT_HEADER)) return 'drop';
      break;
    case 25:
      if (isNamed(name, 'endpoint-load-metrics-bin')) return 'drop';
      break;
    case LAME_DUCK_HEADER.length:
      if (isNamed(name, LAME_DUCK_HEADER)) return 'drop';
      break;
    case OVERLOADED_HEADER.length:
      if (isNamed(name, OVERLOADED_HEADER)) return 'drop';
      break;
    case PUSHBACK_HEADER.length:
      if (isNamed(name, PUSHBACK_HEADER)) return 'drop';
      break;
  }
  return isPrivate(name) ? 'drop' : 'keep';
}

/** Between us and backends, or between a proxy and whoever is in front of it, by how its name begins. */
function isPrivate(name: string): boolean {
  const first = name.charCodeAt(0) | 0x20;
  if (first === 0x70) return name.charCodeAt(5) === 0x2d && isNamed(name.slice(0, 6), 'proxy-');
  return first === 0x78 && name.charCodeAt(10) === 0x2d && isNamed(name.slice(0, 11), 'x-plimsoll-');
}

/** The head of a backend's answer as it goes on to the client. */
export class AnswerHead {
  /** Names and values in turn, without those that say where the answer ends. */
  readonly headers: string[] = [];
  contentLength: number | undefined = undefined;
  hasDate = false;

  #named: readonly string[] | undefined = undefined;

  /** Undefined: fine. Else why it cannot be passed on. */
  read(raw: RawHeaders, edits: HeaderEdits | undefined): string | undefined {
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = headText(raw[i] as string | Buffer);
      const kind = kindOf(name);
      if (kind === 'drop') continue;
      const fault = this.#takeAll(kind, name, raw[i + 1]!, edits);
      if (fault !== undefined) return fault;
    }
    if (this.#named !== undefined) dropNamed(this.headers, this.#named);
    if (edits !== undefined) this.headers.push(...edits.set);
    return undefined;
  }

  #takeAll(kind: Kind, name: string, value: RawHeader, edits: HeaderEdits | undefined): string | undefined {
    if (!Array.isArray(value)) return this.#take(kind, name, headText(value as string | Buffer), edits);
    for (const each of value as readonly Buffer[]) {
      const fault = this.#take(kind, name, headText(each), edits);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #take(kind: Kind, name: string, value: string, edits: HeaderEdits | undefined): string | undefined {
    switch (kind) {
      case 'connection': {
        const named = connectionOptions(value);
        if (named === undefined) return 'too many options of its connection';
        if (named.length > 0) this.#named = [...(this.#named ?? []), ...named];
        return undefined;
      }
      case 'content-length':
        // RFC 9112, 6.3: two lengths are two answers to somebody.
        if (this.contentLength !== undefined) return 'two lengths';
        this.contentLength = parseDigits(value, LENGTH_DIGITS);
        return this.contentLength < 0 ? 'a length that is none' : undefined;
      case 'date':
        if (this.hasDate) return undefined;
        this.hasDate = true;
        break;
      default:
        break;
    }
    if (!isHeaderName(name) || !isHeaderValue(value)) return 'a header that is none';
    if (edits?.drops(name) !== true) this.headers.push(name, value);
    return undefined;
  }
}

/** Fields that come after the body, without those that mean something only before it (RFC 9110, 6.5.1). */
export function readTrailers(raw: RawHeaders): string[] {
  const trailers: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = headText(raw[i] as string | Buffer);
    const value = Array.isArray(raw[i + 1]) ? '' : headText(raw[i + 1] as string | Buffer);
    // Only gRPC has it here, and it is for the client that made the call.
    const isKept = kindOf(name) === 'keep' || isNamed(name, PUSHBACK_HEADER);
    if (!isKept || isNamed(name, 'host') || isNamed(name, 'set-cookie')) continue;
    if (name.toLowerCase().startsWith('content-') || !isHeaderName(name) || !isHeaderValue(value)) continue;
    trailers.push(name, value);
  }
  return trailers;
}

function dropNamed(headers: string[], named: readonly string[]): void {
  let kept = 0;
  for (let i = 0; i < headers.length; i += 2) {
    if (named.includes(headers[i]!.toLowerCase())) continue;
    headers[kept++] = headers[i]!;
    headers[kept++] = headers[i + 1]!;
  }
  headers.length = kept;
}
