import { hostname } from 'node:os';
import { checkInteger, checkPositive, withDefaults } from '../core/check.js';
import type { CapacityBookOptions } from '../core/index.js';
import type { RedisMastership } from '../stores/redis/redis-mastership.js';
import { checkUrls } from './ask-targets.js';
import { CALLER_DEFAULTS, type CallerOptions } from './caller-options.js';
import { ALL_PROTOCOLS } from './capacity-address.js';
import { checkResource } from './capacity-path.js';

/** Of a server below another: `capacity` and `safeCapacity` are the parent's to say. */
export type ResourceOptions = Partial<CapacityBookOptions>;

/** How a server below another one asks it. */
export interface ParentOptions extends CallerOptions {
  /** This server's name at its parent. Those that take each other's place have the same. */
  readonly client: string;
}

/** What a server hands out, where that comes from, and who takes its place. */
export interface CapacityServerSettings {
  /** What is handed out, by name. */
  readonly resources: Readonly<Record<string, ResourceOptions>>;
  /** Where capacity comes from. undefined: from the options of each resource. */
  readonly parent: (Partial<ParentOptions> & Pick<ParentOptions, 'url'>) | undefined;
  /** Of several servers the one that hands out. undefined: this one, and no other. It is closed with the server. */
  readonly mastership: RedisMastership | undefined;
  /**
   * Where clients reach this server, told to those who ask another one: by HTTP, by gRPC, or an address for each. undefined:
   * where it listens.
   */
  readonly address: string | readonly string[] | undefined;
  /** A body that takes longer to come is not waited for. */
  readonly bodyMs: number;
  /** Bodies that are being read at once; more are refused. */
  readonly maxBodies: number;
}

export const CAPACITY_SERVER_SETTINGS: CapacityServerSettings = Object.freeze({
  /** They must be given. */
  resources: Object.freeze({}),
  parent: undefined,
  mastership: undefined,
  address: undefined,
  /** As long as clients wait for an answer. */
  bodyMs: 1_000,
  /** At 64 kB each 64 MB; as many as there may be clients of one resource. */
  maxBodies: 1_000,
});

export function checkClient(name: unknown): string {
  if (typeof name === 'string' && name.length > 0 && name.length <= 256) return name;
  throw new RangeError(`client must be a name of 1 to 256 characters, got ${JSON.stringify(name)}`);
}

/** A name that no other process has. */
export function ownName(random: string): string {
  return `${hostname().slice(0, 128)}:${process.pid}:${random}`;
}

export function checkServerSettings(given: Partial<CapacityServerSettings>): CapacityServerSettings {
  const settings = withDefaults('capacity server', CAPACITY_SERVER_SETTINGS, given);
  const names = Object.keys(settings.resources);
  if (names.length === 0) throw new RangeError('resources must name at least one resource, got none');
  names.forEach(checkResource);
  addressesOf(settings);
  checkPositive('bodyMs', settings.bodyMs);
  checkInteger('maxBodies', settings.maxBodies, 1);
  if (settings.mastership !== undefined) {
    for (const name of names) checkLearning(name, settings.resources[name]!);
  }
  return settings;
}

/** Where it says that it is. undefined: nobody said. */
export function addressesOf({ address }: CapacityServerSettings): readonly string[] | undefined {
  return address === undefined ? undefined : checkUrls('address', address, ALL_PROTOCOLS);
}

/** Whoever becomes master does not know what the one before has handed out: it learns for a whole lease. */
function checkLearning(name: string, { learningMs }: ResourceOptions): void {
  if (learningMs === undefined) return;
  throw new RangeError(`learningMs of ${name} must not be given with mastership, got ${learningMs}`);
}

export function parentOptions(
  { parent, mastership }: CapacityServerSettings,
  random: string,
): ParentOptions | undefined {
  if (parent === undefined) return undefined;
  const defaults = { ...CALLER_DEFAULTS, client: mastership?.name ?? ownName(random) };
  const options = withDefaults('parent', defaults, parent);
  checkClient(options.client);
  return options;
}
