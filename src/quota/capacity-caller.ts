import { Agent, type buildConnector, request } from 'undici';
import {
  type CapacityAsk,
  type CapacityGrant,
  type CapacityRelease,
  readCapacityGrant,
} from '../core/index.js';
import { AskTargets } from './ask-targets.js';
import { type CallerOptions, checkCallerOptions } from './caller-options.js';
import { type CapacityAction, capacityUrl, MASTER_HEADER, MOST_BODY_BYTES } from './capacity-path.js';

interface Answer {
  readonly grant: CapacityGrant | undefined;
  /** Whether it took what was said. */
  readonly isHeard: boolean;
  readonly master: unknown;
}

const NO_ANSWER: Answer = Object.freeze({ grant: undefined, isHeard: false, master: undefined });

/** Asks one of several servers about one resource, by HTTP. Nothing rejects: no answer is an answer. */
export class CapacityCaller {
  readonly #options: CallerOptions;
  readonly #resource: string;
  readonly #targets: AskTargets;
  readonly #agent: Agent;
  #isClosed = false;

  constructor(resource: string, options: CallerOptions) {
    this.#options = options;
    this.#resource = resource;
    this.#targets = new AskTargets(checkCallerOptions(options));
    this.#agent = new Agent({
      connections: 1,
      connect: { ...options.tls, timeout: options.timeoutMs } as buildConnector.BuildOptions,
      maxResponseSize: MOST_BODY_BYTES,
    });
  }

  async ask(ask: CapacityAsk): Promise<CapacityGrant | undefined> {
    return (await this.#tour('ask', ask)).grant;
  }

  async release(release: CapacityRelease): Promise<void> {
    await this.#tour('release', release);
  }

  /** What is under way is given up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#agent.destroy();
  }

  async #tour(action: CapacityAction, message: CapacityAsk | CapacityRelease): Promise<Answer> {
    const body = JSON.stringify(message);
    let url: string | undefined = this.#targets.begin();
    while (url !== undefined && !this.#isClosed) {
      const answer: Answer = await this.#post(capacityUrl(url, this.#resource, action), body);
      if (answer.isHeard) {
        this.#targets.answered(url);
        return answer;
      }
      url = this.#targets.next(url, answer.master);
    }
    return NO_ANSWER;
  }

  async #post(url: string, body: string): Promise<Answer> {
    const { headers, timeoutMs } = this.#options;
    try {
      const response = await request(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.body.text();
      if (response.statusCode === 204) return { ...NO_ANSWER, isHeard: true };
      if (response.statusCode !== 200) return { ...NO_ANSWER, master: response.headers[MASTER_HEADER] };
      const grant = readCapacityGrant(JSON.parse(text));
      return { grant, isHeard: grant !== undefined, master: undefined };
    } catch {
      return NO_ANSWER;
    }
  }
}
