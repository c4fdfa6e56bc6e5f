import { checkOneOf } from '../../../core/check.js';
import { POLICY_NAMES, type PolicyName } from '../../../core/index.js';
import { checkPolicyOptions, type GrpcPolicyOptions, POLICY_TYPES } from './policy-settings.js';

/**
 * The text of a service config that chooses one of our policies, for the channel option `grpc.service_config`. It has no
 * retry policy: those of grpc-js know of no budget, and would multiply with the interceptor's attempts.
 */
export function serviceConfigFor<N extends PolicyName>(name: N, options?: GrpcPolicyOptions[N]): string {
  checkOneOf('policy', name, POLICY_NAMES);
  const given = options ?? ({} as GrpcPolicyOptions[N]);
  // Now: grpc-js passes over a config that it cannot read, and says so in a debug log.
  checkPolicyOptions(name, given, () => 0);
  return JSON.stringify({ loadBalancingConfig: [{ [POLICY_TYPES[name]]: given }] });
}
