import { type Criticality, parseCriticality } from '../core/index.js';
import type { QueuedRequest } from '../rate-limit/index.js';

/**
 * What a gateway knew of a request that it accepted for later. Secrets among its headers are not kept, and whoever sent it
 * is gone.
 */
export interface QueuedFacts {
  readonly route: string;
  readonly customer: string;
  readonly criticality: Criticality;
  /** Of whoever asked, when it was known. */
  readonly address: string | undefined;
  readonly protocol: 'http' | 'https';
  readonly requestId: string | undefined;
}

/** In the form in which they are kept. */
export function queuedFacts(facts: QueuedFacts): Record<string, string> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** Throws when it was accepted by somebody else: then nobody knows what it may do. */
export function readQueuedFacts({ facts }: QueuedRequest): QueuedFacts {
  const { route, customer, protocol, address, requestId } = facts;
  const criticality = parseCriticality(facts['criticality'] ?? '');
  const isComplete = route !== undefined && customer !== undefined && criticality !== undefined;
  if (!isComplete || (protocol !== 'http' && protocol !== 'https'))
    throw new Error('it was accepted by no gateway');
  return { route, customer, criticality, address, protocol, requestId };
}
