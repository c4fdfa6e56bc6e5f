import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { JwtClaims } from '../../rate-limit/jwt/jwt-claims.js';
import { isThenable, type MaybePromise } from '../../rate-limit/maybe-promise.js';
import { viewOf } from '../../rate-limit/rules/request-view.js';
import type { RequestHead } from '../../server/index.js';
import { trustOf } from '../../server/intake/trust.js';
import { decodeCustomer, encodeCustomer } from '../../wire/index.js';
import type { IdentitySettings, KeyOwner } from '../settings/index.js';
import { ApiKeys } from './api-keys.js';
import { certificateNames } from './certificate-names.js';
import { KnownTokens } from './known-tokens.js';

export interface IdentityParts {
  readonly settings: IdentitySettings;
  /** Those of the settings, and of the file. */
  readonly keys: Readonly<Record<string, KeyOwner>>;
  /** For `settings.jwt`. */
  readonly claims: JwtClaims | undefined;
}

/** What of a request's head is looked at. */
type Head = Pick<RequestHead, 'header' | 'remoteAddress' | 'socket'>;

/**
 * Who asks. What costs nothing is known before a request is let in: keys, headers of listed proxies, certificates, which
 * are read once for each connection, and tokens that were verified before. New tokens are looked at afterwards.
 */
export class Identity {
  readonly #keyHeader: string;
  readonly #keys: ApiKeys | undefined;
  readonly #header:
    | { readonly name: string; readonly isFrom: (address: string | undefined) => boolean }
    | undefined;
  readonly #certificates: ReadonlyMap<string, string> | undefined;
  readonly #tokenHeader: string;
  readonly #tokens: KnownTokens | undefined;
  readonly #customerOf: ReturnType<JwtClaims['reader']> | undefined;
  readonly #expiryOf: ReturnType<JwtClaims['reader']> | undefined;
  readonly #seen = new WeakMap<object, string | undefined>();

  constructor({ settings, keys, claims }: IdentityParts) {
    const { apiKeys, header, mtls, jwt } = settings;
    this.#keyHeader = (apiKeys?.header ?? 'x-api-key').toLowerCase();
    this.#keys = apiKeys === undefined ? undefined : new ApiKeys(keys);
    this.#header = header && { name: header.name.toLowerCase(), isFrom: trustOf(header.from) };
    this.#certificates = mtls && new Map(Object.entries(mtls.customers));
    this.#tokenHeader = (jwt?.header ?? 'authorization').toLowerCase();
    this.#tokens = jwt && new KnownTokens();
    this.#customerOf = jwt && claims?.reader(jwt.claim, true);
    this.#expiryOf = jwt && claims?.reader('exp');
  }

  /** Names in lower case of the headers by which somebody can be taken for somebody else. */
  get secretHeaders(): readonly string[] {
    return [this.#keyHeader, this.#tokenHeader];
  }

  /** Whether anybody can be known before being let in. */
  get isEarly(): boolean {
    return (
      this.#keys !== undefined ||
      this.#header !== undefined ||
      this.#certificates !== undefined ||
      this.#customerOf !== undefined
    );
  }

  /** Whether there is more to find out for somebody who is not known yet. */
  get isLate(): boolean {
    return this.#customerOf !== undefined;
  }

  /** Whether it shows a token: not yet verified, where nobody is known by it. */
  hasToken(header: Head['header']): boolean {
    return this.#customerOf !== undefined && header(this.#tokenHeader) !== undefined;
  }

  /** Before a request is let in. */
  early(head: Head): KeyOwner | undefined {
    const owner = this.#keys?.find(head.header(this.#keyHeader));
    if (owner !== undefined) return owner;
    const customer =
      this.#byHeader(head.remoteAddress, (name) => head.header(name)) ??
      this.#byCertificate(head.socket) ??
      this.#byKnownToken(head);
    return customer === undefined ? undefined : { customer };
  }

  /**
   * For one that was let in and is not known: at once, unless a token has to be verified. Rejects without jose, and where its
   * keys cannot be had, by a `KeysUnavailableError`.
   */
  late(req: IncomingMessage): MaybePromise<string | undefined> {
    return this.#byToken(req);
  }

  /** All ways, for whoever was not asked before. */
  full(req: IncomingMessage): MaybePromise<string | undefined> {
    const header = (name: string) => viewOf(req).header(name);
    const known =
      this.#keys?.find(header(this.#keyHeader))?.customer ?? this.#byHeader(req.socket.remoteAddress, header);
    return known ?? this.#byCertificate(req.socket) ?? this.late(req);
  }

  #byHeader(address: string | undefined, header: (name: string) => string | undefined): string | undefined {
    if (this.#header === undefined || !this.#header.isFrom(address)) return undefined;
    const said = header(this.#header.name);
    return said === undefined ? undefined : decodeCustomer(said);
  }

  #byKnownToken(head: Head): string | undefined {
    if (this.#customerOf === undefined) return undefined;
    return this.#tokens?.find(head.header(this.#tokenHeader), Date.now());
  }

  #byCertificate(socket: Socket | undefined): string | undefined {
    if (this.#certificates === undefined || socket === undefined) return undefined;
    const { authorized, getPeerCertificate } = socket as Partial<TLSSocket>;
    if (authorized !== true || getPeerCertificate === undefined) return undefined;
    if (this.#seen.has(socket)) return this.#seen.get(socket);
    const names = certificateNames(getPeerCertificate.call(socket as TLSSocket));
    const customer = names.map((name) => this.#certificates!.get(name)).find((found) => found !== undefined);
    this.#seen.set(socket, customer);
    return customer;
  }

  #byToken(req: IncomingMessage): MaybePromise<string | undefined> {
    if (this.#customerOf === undefined) return undefined;
    const view = viewOf(req);
    const header = view.header(this.#tokenHeader);
    if (header === undefined) return undefined;
    const said = this.#customerOf(view);
    if (!isThenable(said)) return this.#learn(header, said, this.#expiryOf!(view));
    return Promise.resolve(said).then((customer) => this.#learn(header, customer, this.#expiryOf!(view)));
  }

  #learn(
    header: string,
    customer: string | undefined,
    exp: MaybePromise<string | undefined>,
  ): string | undefined {
    if (customer === undefined || encodeCustomer(customer) === undefined) return undefined;
    if (!isThenable(exp)) this.#tokens?.learn(header, customer, exp, Date.now());
    return customer;
  }
}
