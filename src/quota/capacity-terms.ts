import { checkNonNegative } from '../core/check.js';
import { CapacityPlace } from './capacity-place.js';
import type { ParentOptions, ResourceOptions } from './capacity-server-options.js';

/**
 * What this server has in its books while it hands out. With each term of mastership it begins with new ones: what was
 * handed out in between it does not know.
 */
export class CapacityTerms {
  readonly #resources: Map<string, ResourceOptions>;
  readonly #parent: ParentOptions | undefined;
  #token: number | undefined = undefined;
  #places = new Map<string, CapacityPlace>();

  constructor(resources: Readonly<Record<string, ResourceOptions>>, parent: ParentOptions | undefined) {
    this.#resources = new Map(Object.entries(resources));
    this.#parent = parent;
    // Impossible options are refused now, and not when it becomes master one night.
    this.#begin(0);
    this.#end();
  }

  has(resource: string): boolean {
    return this.#resources.has(resource);
  }

  /** Of the term with this token. undefined: it hands out nothing. */
  enter(now: number, token: number | undefined): ReadonlyMap<string, CapacityPlace> {
    if (token !== this.#token) {
      this.#end();
      this.#token = token;
      if (token !== undefined) {
        this.#begin(now);
        for (const place of this.#places.values()) place.start();
      }
    }
    return this.#places;
  }

  /** For this term and those to come. */
  setCapacity(now: number, resource: string, capacity: number): void {
    const options = this.#resources.get(resource);
    if (options === undefined) throw new RangeError(`there is no resource ${JSON.stringify(resource)}`);
    if (this.#parent !== undefined)
      throw new RangeError(`the capacity of ${resource} is its parent's to say`);
    checkNonNegative('capacity', capacity);
    this.#places.get(resource)?.setCapacity(now, capacity);
    this.#resources.set(resource, { ...options, capacity });
  }

  #begin(now: number): void {
    for (const [name, options] of this.#resources) {
      this.#places.set(name, new CapacityPlace(now, name, options, this.#parent));
    }
  }

  #end(): void {
    for (const place of this.#places.values()) void place.stop();
    this.#places = new Map();
  }
}
