import type { RateLimitOptions } from '../rate-limit-options.js';
import { BucketLedger } from './bucket-ledger.js';
import type { LeaseLedger } from './lease-ledger.js';
import { WindowLedger } from './window-ledger.js';

export const LEASABLE = ['token-bucket', 'gcra', 'fixed-window'] as const;

/** For algorithms whose units can be handed out beforehand. The others must see each request when it comes. */
export function createLeaseLedger(options: RateLimitOptions): LeaseLedger {
  if (!(LEASABLE as readonly string[]).includes(options.algorithm)) {
    throw new RangeError(
      `algorithm must be one of ${LEASABLE.join(', ')} to be leased, got ${options.algorithm}`,
    );
  }
  return options.algorithm === 'fixed-window' ? new WindowLedger(options) : new BucketLedger(options);
}
