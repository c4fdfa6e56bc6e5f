import { GRPC_TIMEOUT_HEADER, PREVIOUS_ATTEMPTS_HEADER } from '../../wire/index.js';
import { isNamed } from '../../wire/text.js';

/**
 * What a header of a request is to us. `drop`: it belongs to a connection, or says what only we may say; `keep`: it is
 * between the client and the service.
 */
export type HeaderKind =
  | 'keep'
  | 'drop'
  | 'host'
  | 'content-length'
  | 'transfer-encoding'
  | 'connection'
  | 'te'
  | 'expect'
  | 'via';

/** By its length first, as few names have the same: this runs for each header of each request. */
export function headerKind(name: string): HeaderKind {
  switch (name.length) {
    case 2:
      return isNamed(name, 'te') ? 'te' : 'keep';
    case 3:
      return isNamed(name, 'via') ? 'via' : 'keep';
    case 4:
      return isNamed(name, 'host') ? 'host' : 'keep';
    case 5:
      // What CGI makes of it is `HTTP_PROXY`, which many a library obeys.
      return isNamed(name, 'proxy') ? 'drop' : 'keep';
    case 6:
      return isNamed(name, 'expect') ? 'expect' : 'keep';
    case 7:
      return isNamed(name, 'upgrade') || isNamed(name, 'trailer') ? 'drop' : plainKind(name);
    case 9:
      return isNamed(name, 'forwarded') || isNamed(name, 'x-real-ip') ? 'drop' : plainKind(name);
    case 10:
      if (isNamed(name, 'connection')) return 'connection';
      return isNamed(name, 'keep-alive') ? 'drop' : plainKind(name);
    case 12:
      // What is left is told by our client, in both ways of saying it, as far as whoever says it is believed.
      return isNamed(name, GRPC_TIMEOUT_HEADER) ? 'drop' : plainKind(name);
    case 14:
      if (isNamed(name, 'content-length')) return 'content-length';
      return isNamed(name, 'http2-settings') ? 'drop' : plainKind(name);
    case 17:
      return isNamed(name, 'transfer-encoding') ? 'transfer-encoding' : plainKind(name);
    case 26:
      return isNamed(name, PREVIOUS_ATTEMPTS_HEADER) ? 'drop' : plainKind(name);
    default:
      return plainKind(name);
  }
}

const UNDERSCORE = '_';

/** Those told by how they begin; and those that a backend would take for one of ours. */
function plainKind(name: string): HeaderKind {
  const first = name.charCodeAt(0) | 0x20;
  if (first === 0x78 && name.length > 12 && name.charCodeAt(11) === 0x2d && begins(name, 'x-forwarded-'))
    return 'drop';
  if (first === 0x70 && name.length > 6 && name.charCodeAt(5) === 0x2d && begins(name, 'proxy-'))
    return 'drop';
  return 'keep';
}

function begins(name: string, lower: string): boolean {
  return isNamed(name.slice(0, lower.length), lower);
}

/** Names that the client itself writes for each attempt (the wire table), and must come from nobody else. */
const OURS = /^x-(?:request-criticality|request-id|envoy-.*|plimsoll-.*)$/i;

/**
 * Whether a name with underscores is, to a backend that knows no difference between these and dashes (CGI, WSGI), one
 * that we set or drop.
 */
export function isDisguised(name: string): boolean {
  if (!name.includes(UNDERSCORE)) return false;
  const dashed = name.replaceAll(UNDERSCORE, '-');
  return headerKind(dashed) !== 'keep' || OURS.test(dashed);
}
