import { isNamed, parseDigits } from '../../wire/text.js';
import { connectionOptions } from './connection-options.js';
import type { ForwardTarget } from './forward-target.js';
import { forwardedElement, plainAddress } from './forwarded.js';
import { headerKind, isDisguised } from './header-kind.js';
import type { ProblemName } from './problem.js';
import { putRequestId } from './request-id.js';
import { isHost, requestTarget } from './request-target.js';

/** What is read of a request, as Node has it. */
export interface IncomingHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The part of a target that its headers depend on. */
export type HeadTarget = Pick<
  ForwardTarget,
  'path' | 'host' | 'clientAddress' | 'protocol' | 'requestHeaders'
>;

/** By this we are known in `Via`. */
export const VIA = '1.1 plimsoll';
/** A request that has passed so many of us goes in circles: no service is behind that many gateways. */
const MOST_PASSES = 8;
/** Of 16 digits are the largest numbers that are exact. */
const LENGTH_DIGITS = 15;
/** Node gives up collecting at its own limit, and what it leaves out might be the length of the body. */
const NODE_MOST_HEADERS = 2_000;

/** A request as it is to be sent: its headers as a flat list, with those of its connection replaced by ours. */
export class RequestHead {
  readonly headers: string[] = [];
  path = '';
  /** As it was asked for. */
  host: string | undefined = undefined;
  /** Undefined when it was not said. */
  contentLength: number | undefined = undefined;
  isChunked = false;
  expectsContinue = false;
  /** Names that its `Connection` header says are for us alone. */
  #named: readonly string[] | undefined = undefined;
  #takesTrailers = false;
  #passes = 0;

  /** What follows the head is a body. */
  get hasBody(): boolean {
    return this.isChunked || (this.contentLength ?? 0) > 0;
  }

  /** Undefined: fine. Else what is wrong with it. */
  read(req: IncomingHead, target: HeadTarget): ProblemName | undefined {
    if (req.method === 'CONNECT' || req.method === 'TRACE') return 'bad-method';
    const problem = this.#readAll(req.rawHeaders, target) ?? this.#check(req.rawHeaders, maxHeadersOf(req));
    if (problem !== undefined) return problem;
    const asked = requestTarget(req.url ?? '', this.host);
    if (asked === undefined) return 'bad-request';
    this.host = asked.host;
    this.path = target.path ?? asked.path;
    if (this.#named !== undefined) this.#dropNamed(this.#named);
    this.#add(req, target);
    return undefined;
  }

  #readAll(raw: readonly string[], { requestHeaders: edits }: HeadTarget): ProblemName | undefined {
    const { headers } = this;
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i]!;
      const kind = headerKind(name);
      if (kind !== 'keep') {
        const problem = this.#note(kind, name, raw[i + 1]!);
        if (problem !== undefined) return problem;
      } else if (!isDisguised(name) && edits?.dropsAlike(name) !== true) headers.push(name, raw[i + 1]!);
    }
    return undefined;
  }

  #note(
    kind: Exclude<ReturnType<typeof headerKind>, 'keep'>,
    name: string,
    value: string,
  ): ProblemName | undefined {
    switch (kind) {
      case 'host':
        // RFC 9112, 3.2: more than one, or one that is none, is refused, or the next hop may choose the other.
        if (this.host !== undefined || !isHost(value)) return 'bad-request';
        this.host = value;
        return undefined;
      case 'content-length':
        return this.#noteLength(value);
      case 'transfer-encoding':
        if (this.isChunked) return 'bad-request';
        this.isChunked = true;
        // Node takes off the chunks and nothing else.
        return isNamed(value, 'chunked') ? undefined : 'bad-coding';
      case 'connection':
        return this.#noteConnection(value);
      case 'te':
        this.#takesTrailers ||= /(?:^|,)\s*trailers\s*(?:,|$)/i.test(value);
        return undefined;
      case 'expect':
        this.expectsContinue = true;
        return undefined;
      case 'via':
        if (value.includes(VIA)) this.#passes++;
        this.headers.push(name, value);
        return undefined;
      case 'drop':
        return undefined;
    }
  }

  #noteLength(value: string): ProblemName | undefined {
    const length = parseDigits(value, LENGTH_DIGITS);
    if (this.contentLength !== undefined || length < 0) return 'bad-request';
    this.contentLength = length;
    return undefined;
  }

  #noteConnection(value: string): ProblemName | undefined {
    const options = connectionOptions(value);
    if (options === undefined) return 'bad-request';
    if (options.length > 0) this.#named = [...(this.#named ?? []), ...options];
    return undefined;
  }

  #check(raw: readonly string[], maxHeaders: number): ProblemName | undefined {
    if (raw.length >= 2 * maxHeaders) return 'bad-headers';
    // RFC 9112, 6.3: whoever sends both may mean to be read in two ways.
    if (this.isChunked && this.contentLength !== undefined) return 'bad-request';
    return this.#passes >= MOST_PASSES ? 'loop' : undefined;
  }

  #dropNamed(named: readonly string[]): void {
    const { headers } = this;
    let kept = 0;
    for (let i = 0; i < headers.length; i += 2) {
      if (named.includes(headers[i]!.toLowerCase())) continue;
      headers[kept++] = headers[i]!;
      headers[kept++] = headers[i + 1]!;
    }
    headers.length = kept;
  }

  /** What only we know, or may say. After all others, so that nothing can take it away. */
  #add(req: IncomingHead, { host, clientAddress, protocol, requestHeaders }: HeadTarget): void {
    const { headers } = this;
    const address = plainAddress(clientAddress ?? req.socket.remoteAddress ?? '');
    if (host !== 'backend') {
      const named = host === 'request' ? this.host : host;
      if (named !== undefined) headers.push('host', named);
    }
    if (this.hasBody && !this.isChunked) headers.push('content-length', String(this.contentLength));
    if (this.#takesTrailers) headers.push('te', 'trailers');
    if (address !== '') headers.push('x-forwarded-for', address);
    headers.push('x-forwarded-proto', protocol);
    if (this.host !== undefined) headers.push('x-forwarded-host', this.host);
    headers.push('forwarded', forwardedElement(address, this.host, protocol), 'via', VIA);
    putRequestId(req, headers, requestHeaders);
    if (requestHeaders !== undefined) headers.push(...requestHeaders.set);
  }
}

/** How many headers a request of this server may have before Node leaves some out. */
function maxHeadersOf({ socket }: IncomingHead): number {
  const { server } = socket as { server?: { maxHeadersCount?: number | null } };
  return server?.maxHeadersCount || NODE_MOST_HEADERS;
}
