import { createDistribution, type Distribution } from '../models/index.js';
import type { KindSpec, ServiceSpec } from './spec/index.js';

/** A kind of request: what it takes to serve one. */
export class Kind {
  readonly name: string;
  readonly cost: Distribution;
  readonly wait: Distribution;
  readonly failureShare: number;

  constructor(name: string, spec: KindSpec) {
    this.name = name;
    this.cost = createDistribution(spec.costMs);
    this.wait = createDistribution(spec.waitMs);
    this.failureShare = spec.failureShare;
  }
}

/** Those that a service names, or its only one. */
export function kindsOf(service: ServiceSpec): Kind[] {
  const { kinds, costMs, waitMs, failureShare } = service;
  if (kinds === undefined) return [new Kind('request', { costMs, waitMs, failureShare })];
  return Object.entries(kinds).map(([name, spec]) => new Kind(name, spec));
}
