import { checkOneOf } from '../check.js';
import type { Random } from '../environment.js';
import type { Roster } from '../health/roster.js';
import { LeastLoadedPolicy } from './least-loaded.js';
import { Picker } from './picker.js';
import { type PrequalOptions, PrequalPolicy } from './prequal/prequal.js';
import { RoundRobinPolicy } from './round-robin.js';
import { type WeightedOptions, WeightedPolicy } from './weighted.js';

export const POLICY_NAMES = ['round-robin', 'least-loaded', 'weighted', 'prequal'] as const;

/** The policies that there are. */
export type PolicyName = (typeof POLICY_NAMES)[number];

/** A policy as data: its name, or its name with options. */
export type PolicyOptions =
  | PolicyName
  | { readonly name: 'round-robin' | 'least-loaded' }
  | ({ readonly name: 'weighted' } & Partial<WeightedOptions>)
  | ({ readonly name: 'prequal' } & Partial<PrequalOptions>);

/** A picker by the name of its policy, as configuration gives it. */
export function createPicker(roster: Roster, random: Random, policy: PolicyOptions): Picker {
  const { name, ...options } = typeof policy === 'string' ? { name: policy } : policy;
  switch (checkOneOf('policy', name, POLICY_NAMES)) {
    case 'round-robin':
      checkNoOptions(name, options);
      return new Picker(roster, new RoundRobinPolicy(random));
    case 'least-loaded':
      checkNoOptions(name, options);
      return new Picker(roster, new LeastLoadedPolicy(random));
    case 'weighted':
      return new Picker(roster, new WeightedPolicy(random, options as Partial<WeightedOptions>));
    case 'prequal':
      return new Picker(roster, new PrequalPolicy(random, options as Partial<PrequalOptions>));
  }
}

function checkNoOptions(name: PolicyName, options: object): void {
  const [first] = Object.keys(options);
  if (first !== undefined) throw new RangeError(`${name} has no options, got ${JSON.stringify(first)}`);
}
