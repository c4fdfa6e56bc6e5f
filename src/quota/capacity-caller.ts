import type { CapacityAsk, CapacityGrant, CapacityRelease } from '../core/index.js';
import { AskTargets } from './ask-targets.js';
import { type CallerOptions, checkCallerOptions, protocolsOf } from './caller-options.js';
import { type CapacityReply, type CapacitySender, NO_REPLY } from './capacity-transport.js';
import { HttpSender } from './http-sender.js';

/** Asks one of several servers about one resource. Nothing rejects: no answer is an answer. */
export class CapacityCaller {
  readonly #resource: string;
  readonly #targets: AskTargets;
  readonly #http: CapacitySender;
  readonly #other: CapacitySender | undefined;
  readonly #otherProtocols: readonly string[];
  #isClosed = false;

  constructor(resource: string, options: CallerOptions) {
    const { timeoutMs, headers, tls, transport } = options;
    this.#resource = resource;
    this.#targets = new AskTargets(checkCallerOptions(options), protocolsOf(options));
    this.#http = new HttpSender({ timeoutMs, headers }, tls);
    this.#otherProtocols = transport?.protocols ?? [];
    this.#other = transport?.open({ timeoutMs, headers });
  }

  async ask(ask: CapacityAsk): Promise<CapacityGrant | undefined> {
    return (await this.#tour((sender, url) => sender.ask(url, this.#resource, ask))).grant;
  }

  async release(release: CapacityRelease): Promise<void> {
    await this.#tour((sender, url) => sender.release(url, this.#resource, release));
  }

  /** What is under way is given up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#http.close(), this.#other?.close()]);
  }

  async #tour(send: (sender: CapacitySender, url: string) => Promise<CapacityReply>): Promise<CapacityReply> {
    let url: string | undefined = this.#targets.begin();
    while (url !== undefined && !this.#isClosed) {
      const reply: CapacityReply = await send(this.#senderTo(url), url);
      if (reply.isHeard) {
        this.#targets.answered(url);
        return reply;
      }
      url = this.#targets.next(url, reply.master);
    }
    return NO_REPLY;
  }

  #senderTo(url: string): CapacitySender {
    return this.#otherProtocols.includes(new URL(url).protocol) ? this.#other! : this.#http;
  }
}
