import type { PolicyName } from '../../core/picking/index.js';
import type { FleetInput } from '../fleet/index.js';

/** The same fleet, all of whose clients choose backends by this policy. */
export function withPolicy(fleet: FleetInput, policy: PolicyName): FleetInput {
  const clients = Object.entries(fleet.clients).map(([name, spec]) => [name, { ...spec, policy }] as const);
  return { ...fleet, clients: Object.fromEntries(clients) };
}
