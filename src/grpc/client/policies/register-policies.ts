import { checkOneOf, withDefaults } from '../../../core/check.js';
import { type Environment, POLICY_NAMES, type PolicyName, type Random } from '../../../core/index.js';
import { HERE } from '../environment.js';
import { findMismatch } from './api-check.js';
import type { BalancerSnapshot } from './balancer-snapshot.js';
import type { ChannelControlHelper, Grpc } from './grpc-api.js';
import { PlimsollLoadBalancer, PolicyConfig } from './load-balancer.js';
import { LiveBalancers } from './policy-metrics.js';
import { checkPolicyOptions, type GrpcPolicyOptions, POLICY_TYPES } from './policy-settings.js';

/** What to do where grpc-js is not as it was. */
export interface RegisterOptions {
  /**
   * What to do when this version of grpc-js does not do what the policies need: throw, or use its `round_robin` under their
   * names and emit a warning.
   */
  readonly onMismatch: 'throw' | 'round_robin';
  /** Time and chance; for tests. */
  readonly environment: Environment;
}

export const REGISTER_DEFAULTS: RegisterOptions = Object.freeze({
  // A fleet that falls back to another policy without anybody's choice is noticed when it is overloaded.
  onMismatch: 'throw',
  environment: HERE,
});

type ConfigType = Parameters<Grpc['experimental']['registerLoadBalancerType']>[2];

/** What the registered policies know. */
export interface RegisteredPolicies {
  /** Names that can now stand in a service config. */
  readonly names: readonly string[];
  /** True when grpc-js's own policy stands in for ours. */
  readonly isFallback: boolean;
  /** Each channel that uses one of them, as plain data. */
  snapshot(): readonly BalancerSnapshot[];
}

/** Grpc-js asks for a class, and calls only this of it. */
function configType(name: PolicyName, random: Random): ConfigType {
  const createFromJson = (json: GrpcPolicyOptions[typeof name]) =>
    new PolicyConfig(name, checkPolicyOptions(name, json, random));
  return { createFromJson } as unknown as ConfigType;
}

/**
 * Makes our policies known to grpc-js: `plimsoll_weighted`, `plimsoll_prequal`, `plimsoll_least_loaded` and
 * `plimsoll_round_robin`. It uses what grpc-js calls experimental, so it first tries whether all of that does what is needed.
 */
export function registerPolicies(grpc: Grpc, given?: Partial<RegisterOptions>): RegisteredPolicies {
  const { onMismatch, environment } = withDefaults('registerPolicies', REGISTER_DEFAULTS, given);
  checkOneOf('onMismatch', onMismatch, ['throw', 'round_robin']);
  const live = new LiveBalancers<PlimsollLoadBalancer>();
  const makes = (name: PolicyName) =>
    class extends PlimsollLoadBalancer {
      constructor(helper: ChannelControlHelper) {
        super(name, grpc, environment, live, helper);
      }
    };
  const problem = findMismatch(grpc, (helper) => new (makes('round-robin'))(helper));
  const names = POLICY_NAMES.map((name) => POLICY_TYPES[name]);
  if (problem !== undefined) {
    if (onMismatch === 'throw') throw new Error(problem);
    process.emitWarning(problem, { type: 'PlimsollWarning', code: 'PLIMSOLL_GRPC_MISMATCH' });
    for (const name of names) registerRoundRobin(grpc, name);
    return { names, isFallback: true, snapshot: () => [] };
  }
  for (const name of POLICY_NAMES)
    grpc.experimental.registerLoadBalancerType(
      POLICY_TYPES[name],
      makes(name),
      configType(name, environment.random),
    );
  return { names, isFallback: false, snapshot: () => live.snapshot() };
}

/** The name then reads as a config of `round_robin`, whatever its options are. */
function registerRoundRobin(grpc: Grpc, name: string): void {
  const { registerLoadBalancerType, parseLoadBalancingConfig } = grpc.experimental;
  const type = { createFromJson: () => parseLoadBalancingConfig({ round_robin: {} }) };
  const never = class {} as unknown as Parameters<typeof registerLoadBalancerType>[1];
  registerLoadBalancerType(name, never, type as unknown as ConfigType);
}
