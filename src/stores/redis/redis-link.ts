import { checkInteger, checkNonNegative, withDefaults } from '../../core/check.js';
import { elapsedMs, RejectedError } from '../../core/index.js';
import { Breaker } from './breaker.js';
import { type ClientOptions, type ClusterClient, connectClient, type RedisClient } from './redis-client.js';
import type { RedisScript } from './redis-script.js';
import { slotOf } from './slots.js';
import { unrefClient } from './unref-client.js';

/** Which Redis, and how much waits for it. */
export interface LinkOptions extends ClientOptions {
  /** How long the start waits for a connection. It goes on without one then, and connects when it can. */
  readonly connectMs?: number | undefined;
  /** Script calls that may be under way at once. */
  readonly maxPending?: number | undefined;
}

export const LINK_DEFAULTS = Object.freeze({
  url: undefined,
  client: undefined,
  // A connection takes milliseconds; a process that starts bears a second, and not a hang.
  connectMs: 1_000,
  // At 1 kB each 10 MB; Redis answers so many within 100 ms.
  maxPending: 10_000,
});

/** How often silent servers are looked for while something is pending: the breaker's silence is a multiple. */
const LOOK_MS = 25;

/** A server that does not wake up for so long is given up, with all that was sent to it, and connected to anew. */
const LOST_MS = 1_000;

/** A server that takes a connection and does not say that it is ready is tried anew: it may be one that is gone since. */
const READY_MS = 5_000;

/** What went wrong is told for so long after it did, while there is a connection. */
const ERROR_MS = 10_000;

type Argument = string | number | Buffer;

/** One entry for a Redis, one for each node of a Cluster. */
interface Node {
  readonly name: string;
  readonly breaker: Breaker;
  /** Scripts that were sent there in full since it was connected to, by their hashes. */
  readonly known: Set<string>;
}

/**
 * Runs scripts on a Redis or a Cluster that may be slow, stopped or gone: each call is answered, or fails as soon as it
 * is known that it will. How long a caller waits for one that may still be answered is the caller's own decision.
 */
export class RedisLink {
  readonly isCluster: boolean;
  readonly #client: RedisClient;
  readonly #maxPending: number;
  readonly #nodes = new Map<string, Node>();
  #timer: NodeJS.Timeout | undefined = undefined;
  /** The timer is for one call. Where calls come closely it is left to itself, which costs less than to begin and end it for each. */
  #isForOne = false;
  #readyTimer: NodeJS.Timeout | undefined = undefined;
  #pending = 0;
  #lastError: string | undefined = 'no connection yet';
  #erredMs = 0;
  #isClosed = false;

  constructor(client: RedisClient, maxPending: number) {
    this.#client = client;
    this.isCluster = client.isCluster;
    this.#maxPending = maxPending;
    client.on('error', (error) => {
      this.#lastError = error instanceof Error ? error.message : String(error);
    });
    client.on('connect', () => this.#awaitReady());
    client.on('close', () => clearTimeout(this.#readyTimer));
    client.on('ready', () => {
      this.#lastError = undefined;
      clearTimeout(this.#readyTimer);
      for (const { breaker, known } of this.#nodes.values()) {
        breaker.renew();
        known.clear();
      }
    });
  }

  /** Runs it on the node that has its first key. */
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.#ask(keys, (node) => this.#call(node, script, keys, args));
  }

  /** The same for bytes: texts of the answer are Buffers. */
  runBuffer(script: RedisScript, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.#ask(keys, (node) => this.#callBuffer(node, script, keys, args));
  }

  #ask(keys: readonly string[], call: (node: Node) => Promise<unknown>): Promise<unknown> {
    if (this.#client.status !== 'ready' || this.#isClosed) return this.#refuse('it is not connected');
    if (this.#pending >= this.#maxPending) return this.#refuse(`${this.#pending} calls are under way`);
    const now = performance.now();
    const node = this.#nodeOf(keys[0]);
    const { breaker } = node;
    if (!breaker.lets(now)) return this.#refuse(`it is ${breaker.state}`);
    this.#pending++;
    breaker.asked(now);
    this.#isForOne = this.#timer === undefined;
    this.#timer ??= setTimeout(() => this.#look(), LOOK_MS).unref();
    return this.#answer(breaker, call(node));
  }

  /** Whether there is a connection now. */
  get isReady(): boolean {
    return this.#client.status === 'ready' && !this.#isClosed;
  }

  /** Waits for a connection, but not longer than that. */
  whenReady(ms: number): Promise<boolean> {
    if (this.isReady || this.#isClosed) return Promise.resolve(this.isReady);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#client.on('ready', () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  snapshot(): {
    readonly isReady: boolean;
    readonly pending: number;
    readonly lastError: string | undefined;
  } {
    const isOver = this.isReady && elapsedMs(this.#erredMs, performance.now()) > ERROR_MS;
    return {
      isReady: this.isReady,
      pending: this.#pending,
      lastError: isOver ? undefined : this.#lastError,
    };
  }

  /** From now on it does not keep the process alive. For who asks it nothing that anybody waits for. */
  unref(): void {
    unrefClient(this.#client);
  }

  /** What is under way fails. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#readyTimer);
    this.#client.disconnect();
  }

  #awaitReady(): void {
    clearTimeout(this.#readyTimer);
    this.#readyTimer = setTimeout(() => this.#client.disconnect(true), READY_MS).unref();
  }

  /**
   * The first time in full, which also makes it known: a hash that is not known there would be answered so and sent once
   * more, behind calls that came later.
   */
  async #call(
    { known }: Node,
    script: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ) {
    const { sha, text } = script;
    if (isFirst(known, sha)) return await this.#client.eval(text, keys.length, ...keys, ...args);
    try {
      return await this.#client.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      // Forgotten since, or a node that has just taken over.
      return await this.#client.eval(text, keys.length, ...keys, ...args);
    }
  }

  async #callBuffer(
    { known }: Node,
    script: RedisScript,
    keys: readonly string[],
    args: readonly Argument[],
  ) {
    const { sha, text } = script;
    if (isFirst(known, sha)) return await this.#client.evalBuffer(text, keys.length, ...keys, ...args);
    try {
      return await this.#client.evalshaBuffer(sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return await this.#client.evalBuffer(text, keys.length, ...keys, ...args);
    }
  }

  async #answer(breaker: Breaker, called: Promise<unknown>): Promise<unknown> {
    try {
      const answer = await called;
      breaker.answered(performance.now());
      return answer;
    } catch (error) {
      this.#erredMs = performance.now();
      breaker.failed(this.#erredMs);
      this.#lastError = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      this.#pending--;
      // Who asks a few times a second would be woken up as often for nothing.
      if (this.#isForOne && this.#pending === 0) this.#stopLooking();
    }
  }

  #stopLooking(): void {
    this.#isForOne = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Timers run before I/O: after a pause of this process answers may be there that make nobody silent. */
  #look(): void {
    const timer = this.#timer;
    setImmediate(() => {
      // Answered meanwhile: whoever has asked since has a timer of its own.
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      if (this.#isClosed) return;
      const now = performance.now();
      for (const node of this.#nodes.values()) {
        node.breaker.look(now);
        if (node.breaker.silentMs(now) >= LOST_MS) this.#reconnect(node);
      }
      if (this.#pending > 0) this.#timer = setTimeout(() => this.#look(), LOOK_MS).unref();
    });
  }

  /** All that is under way there fails, and is taken off the count by that. */
  #reconnect({ name }: Node): void {
    if (!this.isCluster) {
      this.#client.disconnect(true);
      return;
    }
    const cluster = this.#client as ClusterClient;
    const node = cluster.nodes('master').find(({ options }) => `${options.host}:${options.port}` === name);
    node?.disconnect(true);
  }

  #nodeOf(key: string | undefined): Node {
    const name = this.isCluster && key !== undefined ? this.#masterOf(key) : '';
    let node = this.#nodes.get(name);
    if (node === undefined) {
      node = { name, breaker: new Breaker({}, Math.random), known: new Set() };
      this.#nodes.set(name, node);
    }
    return node;
  }

  #masterOf(key: string): string {
    return (this.#client as ClusterClient).slots[slotOf(key)]?.[0] ?? '';
  }

  /** Heard at once while there is nobody to ask. */
  #refuse(why: string): Promise<never> {
    const reason = this.#isClosed
      ? 'the store is closed'
      : why + (this.#lastError === undefined ? '' : ` (${this.#lastError})`);
    const message = `Redis is not asked: ${reason}`;
    return Promise.reject(new RejectedError('PLIMSOLL_STORE_UNAVAILABLE', message, { retry: 'later' }));
  }
}

function isFirst(known: Set<string>, sha: string): boolean {
  if (known.has(sha)) return false;
  known.add(sha);
  return true;
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

export async function createLink(options: LinkOptions): Promise<RedisLink> {
  const given = withDefaults('redis', LINK_DEFAULTS as Required<LinkOptions>, options);
  const connectMs = checkNonNegative('connectMs', given.connectMs);
  const maxPending = checkInteger('maxPending', given.maxPending, 1);
  const link = new RedisLink(await connectClient(given), maxPending);
  if (!(await link.whenReady(connectMs))) {
    // A wrong password or address would otherwise be found out by whoever wonders why nothing is limited.
    const message = `Redis cannot be reached yet (${link.snapshot().lastError}): decisions are made without it until it can`;
    process.emitWarning(message, { code: 'PLIMSOLL_STORE_UNAVAILABLE' });
  }
  return link;
}
