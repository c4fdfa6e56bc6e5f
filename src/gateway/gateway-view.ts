import type { IncomingMessage } from 'node:http';
import type { RequestView } from '../rate-limit/index.js';
import { headerOf } from '../rate-limit/rules/request-view.js';
import { isNamed } from '../wire/text.js';

/** Who nobody knows is called so, by the guard too. */
export const ANONYMOUS = 'anonymous';

/** What a request was taken for, when it is to be performed later: asked then, as few are. */
export interface Taken {
  readonly facts: Readonly<Record<string, string>>;
  readonly secretHeaders: readonly string[];
  readonly route: { readonly maxBodyBytes: number };
  readonly cannotWait: boolean;
}

/** A request as routes and limits see it. One object, to which is added what is found out on the way. */
export class GatewayView implements RequestView {
  readonly method: string;
  readonly url: string;
  readonly incoming: IncomingMessage;
  address: string | undefined;
  customer = ANONYMOUS;
  taken: Taken | undefined = undefined;

  constructor(req: IncomingMessage) {
    this.method = req.method ?? 'GET';
    this.url = req.url ?? '/';
    this.address = req.socket.remoteAddress;
    this.incoming = req;
  }

  get facts(): Readonly<Record<string, string>> | undefined {
    return this.taken?.facts;
  }

  get secretHeaders(): readonly string[] | undefined {
    return this.taken?.secretHeaders;
  }

  get maxBodyBytes(): number | undefined {
    return this.taken?.route.maxBodyBytes;
  }

  get cannotWait(): boolean {
    return this.taken?.cannotWait === true;
  }

  header(name: string): string | undefined {
    return (name === 'host' ? this.#host() : undefined) ?? headerOf(this.incoming, name);
  }

  /** The one header that every request is asked for: it is found without making an object of them all, which takes 2 µs. */
  #host(): string | undefined {
    const { rawHeaders } = this.incoming;
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const name = rawHeaders[i]!;
      if (name.length === 4 && isNamed(name, 'host')) return rawHeaders[i + 1];
    }
    return undefined;
  }
}
