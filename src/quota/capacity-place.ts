import { randomBytes } from 'node:crypto';
import {
  type CapacityAsk,
  CapacityBook,
  type CapacityGrant,
  CapacityNode,
  type CapacityRelease,
  type CapacitySnapshot,
} from '../core/index.js';
import { AskLoop } from './ask-loop.js';
import { CapacityCaller } from './capacity-caller.js';
import type { ParentOptions, ResourceOptions } from './capacity-server-options.js';

/** One resource, for as long as this server hands it out: one that becomes master again begins anew. */
export class CapacityPlace {
  readonly #server: CapacityBook | CapacityNode;
  readonly #caller: CapacityCaller | undefined;
  readonly #loop: AskLoop | undefined;

  constructor(now: number, name: string, options: ResourceOptions, parent: ParentOptions | undefined) {
    if (parent === undefined) {
      this.#server = new CapacityBook(now, options);
      return;
    }
    const { client, ...calling } = parent;
    const who = { client, life: randomBytes(8).toString('hex') };
    const node = new CapacityNode(now, who, Math.random, options);
    const caller = new CapacityCaller(name, calling);
    this.#server = node;
    this.#caller = caller;
    this.#loop = new AskLoop(
      node,
      (ask) => caller.ask(ask),
      () => {},
    );
  }

  /** Begins to ask the parent, if there is one. */
  start(): void {
    this.#loop?.look();
  }

  refresh(now: number, ask: CapacityAsk): CapacityGrant | undefined {
    const grant = this.#server.refresh(now, ask);
    // What is wanted may be more now.
    this.#loop?.look();
    return grant;
  }

  release(release: CapacityRelease): void {
    this.#server.release(release);
  }

  /** Below a parent that is the parent's to say. */
  setCapacity(now: number, capacity: number): void {
    if (this.#server instanceof CapacityBook) this.#server.setCapacity(now, capacity);
  }

  snapshot(now: number): CapacitySnapshot {
    return this.#server.snapshot(now);
  }

  /** Nothing is given back to the parent: clients have leases of it. */
  async stop(): Promise<void> {
    void this.#loop?.stop();
    await this.#caller?.close();
  }
}
