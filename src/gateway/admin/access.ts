import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { isLoopback } from '../settings/index.js';
import { type AdminAnswer, problem } from './answers.js';

/** What is looked at of a request before anything else is done with it. */
export interface AccessQuestion {
  readonly host: string | undefined;
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  /** `x-plimsoll-admin`. */
  readonly marker: string | undefined;
  readonly isChange: boolean;
}

const UNAUTHORIZED = problem(401, 'The admin port has a token: send it as "authorization: Bearer <token>"', {
  'www-authenticate': 'Bearer realm="plimsoll"',
});
const WRONG_HOST = problem(
  403,
  'Without a token the admin port is asked by the name localhost, by 127.0.0.1 or by [::1]: set admin.token for others',
);
const OTHER_SITE = problem(403, 'Pages of other sites may not ask the admin port');
const NO_MARKER = problem(
  403,
  'What changes something needs the header "x-plimsoll-admin: 1", which no page of another site can send',
);
const NO_TOKEN = problem(
  403,
  'A page may change something only where the admin port has a token: set admin.token, and give it to the page',
);

/**
 * Who may ask what. Whoever has the token may do anything. Without one the port is for this machine alone, and a page in
 * a browser on it is a stranger: it may have a name of its own lead here (DNS rebinding), or ask blindly (CSRF). Our own
 * page is one as well: anybody who sits at this machine can open it, and without a token it only shows.
 */
export class AdminAccess {
  readonly #token: () => string | undefined;

  /** `token` is asked each time: it may change. */
  constructor(token: () => string | undefined) {
    this.#token = token;
  }

  /** Undefined when it may; else what to answer. */
  refusalOf(asked: AccessQuestion): AdminAnswer | undefined {
    const token = this.#token();
    if (token !== undefined && !isBearer(asked.authorization, token)) return UNAUTHORIZED;
    if (token === undefined && !isLocalHost(asked.host)) return WRONG_HOST;
    if (isOtherSite(asked, token !== undefined)) return OTHER_SITE;
    if (!asked.isChange) return undefined;
    if (token === undefined && isBrowser(asked)) return NO_TOKEN;
    return asked.marker === '1' ? undefined : NO_MARKER;
  }

  /**
   * For the files of the page, which hold no secrets: links from elsewhere may lead to them, and whoever has a token gives
   * it to the page once that is there.
   */
  pageRefusalOf(host: string | undefined): AdminAnswer | undefined {
    return this.#token() === undefined && !isLocalHost(host) ? WRONG_HOST : undefined;
  }
}

/** Hashes of both have one length, so how long it takes tells nothing of either. */
function isBearer(authorization: string | undefined, token: string): boolean {
  const [, given = ''] = /^Bearer +(\S.*)$/i.exec(authorization ?? '') ?? [];
  return timingSafeEqual(hash(given), hash(token));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Names that lead nowhere else, whoever answers for them. */
function isLocalHost(host: string | undefined): boolean {
  const [, name = ''] = /^(\[[^\]]+\]|[^:[\]]+)(?::\d{1,5})?$/.exec(host ?? '') ?? [];
  const plain = name.replace(/^\[|\]$/g, '').toLowerCase();
  return (plain === 'localhost' || isIP(plain) !== 0) && isLoopback({ host: plain, port: 0 });
}

/** As browsers say it, which pages cannot keep them from. */
function isOtherSite({ host, origin, fetchSite }: AccessQuestion, hasToken: boolean): boolean {
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return true;
  if (origin === undefined || origin === `http://${host}`) return false;
  // A proxy in front speaks TLS.
  return !(hasToken && origin === `https://${host}`);
}

/** Anything else has neither. */
function isBrowser({ origin, fetchSite }: AccessQuestion): boolean {
  return origin !== undefined || fetchSite !== undefined;
}
