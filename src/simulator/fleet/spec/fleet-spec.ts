import * as z from 'zod';
import { distributionSchema } from '../../models/index.js';
import { clientSchema } from './client-spec.js';
import { type BackendFaultSpec, faultSchema } from './fault-spec.js';
import { milliseconds, name, positiveMs, share } from './numbers.js';
import { type ServiceSpec, serviceSchema } from './service-spec.js';

const network = z.strictObject({
  /** One way. */
  delayMs: distributionSchema.default(0.25),
  /** One way between two localities, on top. */
  betweenLocalitiesMs: milliseconds.default(0),
  /** The part of all messages that gets lost. */
  lossShare: share.default(0),
});

/** A fleet as data: what is simulated. */
export const fleetSchema = z
  .strictObject({
    /** How long is measured … */
    durationMs: positiveMs,
    /** … after this. */
    warmupMs: milliseconds.default(5_000),
    network: network.prefault({}),
    services: z.record(name, serviceSchema),
    clients: z.record(name, clientSchema),
    faults: z.array(faultSchema).max(10_000).default([]),
    /** So long after the last fault is over, as many requests are served as before the first. */
    recoverWithinMs: milliseconds.default(30_000),
  })
  .superRefine(checkNames);

interface Named {
  readonly services: Readonly<Record<string, z.output<typeof serviceSchema>>>;
  readonly clients: Readonly<Record<string, z.output<typeof clientSchema>>>;
  readonly faults: readonly z.output<typeof faultSchema>[];
}

/** What a schema of one part cannot know: that names mean something, and that calls come to an end. */
function checkNames({ services, clients, faults }: Named, context: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  const known = Object.keys(services);
  const checkService = (service: string, path: (string | number)[]) => {
    if (!known.includes(service)) refuse(path, `there is no service "${service}", only ${known.join(', ')}`);
  };
  for (const [client, spec] of Object.entries(clients)) {
    checkService(spec.service, ['clients', client, 'service']);
    const kinds = Object.keys(services[spec.service]?.kinds ?? {});
    for (const kind of Object.keys(spec.kinds ?? {})) {
      if (known.includes(spec.service) && !kinds.includes(kind)) {
        refuse(['clients', client, 'kinds', kind], `service ${spec.service} has no kind "${kind}"`);
      }
    }
  }
  for (const [at, fault] of faults.entries()) {
    const { service } = fault;
    checkService(service, ['faults', at, 'service']);
    if (!known.includes(service)) continue;
    if ('backends' in fault) {
      checkVictims(services[service]!.backends, fault.backends, (path, message) =>
        refuse(['faults', at, 'backends', ...path], `service ${service} has ${message}`),
      );
    } else if (services[service]!.quota === undefined) {
      refuse(['faults', at, 'service'], `service ${service} has no quota`);
    }
  }
  for (const [caller, { calls }] of Object.entries(services)) {
    for (const [at, { service, kind }] of calls.entries()) {
      const path = ['services', caller, 'calls', at];
      checkService(service, [...path, 'service']);
      const kinds = known.includes(service) ? Object.keys(services[service]!.kinds ?? {}) : [];
      if (kind !== undefined && known.includes(service) && !kinds.includes(kind))
        refuse([...path, 'kind'], `service ${service} has no kind "${kind}"`);
    }
    if (reaches(services, caller, caller, new Set())) {
      refuse(['services', caller, 'calls'], `service ${caller} calls itself, by way of others or not`);
    }
  }
}

function checkVictims(
  backends: ServiceSpec['backends'],
  victims: BackendFaultSpec['backends'],
  refuse: (path: number[], message: string) => void,
): void {
  const groups = typeof backends === 'number' ? [{ count: backends, locality: 'here' }] : backends;
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  if (Array.isArray(victims)) {
    const unknown = victims.findIndex((index) => index >= total);
    if (unknown >= 0) refuse([unknown], `only backends 0 to ${total - 1}`);
  } else if (typeof victims === 'number') {
    if (victims > total) refuse([], `only ${total} backends`);
  } else if (!groups.some(({ locality }) => locality === victims.locality)) {
    refuse([], `no backends in "${victims.locality}"`);
  }
}

function reaches(services: Named['services'], from: string, wanted: string, seen: Set<string>): boolean {
  return (services[from]?.calls ?? []).some(({ service }) => {
    if (service === wanted) return true;
    if (seen.has(service)) return false;
    seen.add(service);
    return reaches(services, service, wanted, seen);
  });
}

/** As it is written: what has a default may be left out. */
export type FleetInput = z.input<typeof fleetSchema>;
/** With everything filled in. */
export type FleetSpec = z.output<typeof fleetSchema>;
export type NetworkSpec = z.output<typeof network>;
