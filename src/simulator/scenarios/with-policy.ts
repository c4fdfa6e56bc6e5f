import type { PolicyName } from '../../core/picking/index.js';
import type { FleetInput } from '../fleet/index.js';

/** The same fleet, all of whose clients, and all of whose services that call others, choose backends by this policy. */
export function withPolicy(fleet: FleetInput, policy: PolicyName): FleetInput {
  const clients = Object.entries(fleet.clients).map(([name, spec]) => [name, { ...spec, policy }] as const);
  const services = Object.entries(fleet.services).map(([name, spec]) => {
    const { calls } = spec;
    if (calls === undefined) return [name, spec] as const;
    return [name, { ...spec, calls: calls.map((call) => ({ ...call, policy })) }] as const;
  });
  return { ...fleet, clients: Object.fromEntries(clients), services: Object.fromEntries(services) };
}
