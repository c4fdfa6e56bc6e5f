import { type ClientOptions, connectClient, type ListeningClient } from './redis-client.js';
import { unrefClient } from './unref-client.js';

/**
 * Hears what is published on one channel, by a connection of its own. It connects again by itself; what was published
 * meanwhile is lost, and whoever needs all of it must have another way to it.
 */
export class RedisSubscriber {
  readonly #client: ListeningClient;
  readonly #channel: string;
  #isClosed = false;
  #messages = 0;
  #lastError: string | undefined = undefined;

  constructor(client: ListeningClient, channel: string, onMessage: (bytes: Buffer) => void) {
    this.#client = client;
    this.#channel = channel;
    client.on('error', (error) => this.#note(error));
    client.on('messageBuffer', (from, bytes) => {
      if (this.#isClosed || from.toString() !== channel) return;
      this.#messages++;
      onMessage(bytes);
    });
    client.on('ready', () => this.#subscribe());
    if (client.status === 'ready') this.#subscribe();
  }

  /** How many have come. */
  get messages(): number {
    return this.#messages;
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** For when nothing comes that should: of a peer that is gone without a word a connection hears nothing. */
  reconnect(): void {
    if (!this.#isClosed) this.#client.disconnect(true);
  }

  /** From now on it does not keep the process alive. */
  unref(): void {
    unrefClient(this.#client);
  }

  close(): void {
    this.#isClosed = true;
    this.#client.disconnect();
  }

  /** With each connection anew: the client does not do so by itself. */
  #subscribe(): void {
    if (this.#isClosed) return;
    this.#client.subscribe(this.#channel).then(
      () => {
        this.#lastError = undefined;
      },
      (error) => this.#note(error),
    );
  }

  #note(error: unknown): void {
    this.#lastError = error instanceof Error ? error.message : String(error);
  }
}

export async function createSubscriber(
  { url, client }: ClientOptions,
  channel: string,
  onMessage: (bytes: Buffer) => void,
): Promise<RedisSubscriber> {
  const connected = await connectClient({ url, client });
  return new RedisSubscriber(connected as unknown as ListeningClient, channel, onMessage);
}
