/** Who asks. */
export interface Customer {
  readonly name: string;
  /** What it is known by. No secret: the demo is reached from this machine alone, and ends with it. */
  readonly apiKey: string;
  /** Of all requests, while it behaves. */
  readonly share: number;
  /** What it may use, as a share of what the fleet can serve. */
  readonly quotaShare: number;
}

/**
 * B is small: at ten times its usual load it alone would be more than the fleet can serve. Its quota leaves it room to
 * grow a little. Those of A and C are more than there is between them, as quotas usually are: what is too much of what
 * everybody sends is for the guards to refuse.
 */
export const CUSTOMERS: readonly Customer[] = [
  { name: 'A', apiKey: 'demo-key-of-customer-a', share: 0.4, quotaShare: 0.9 },
  { name: 'B', apiKey: 'demo-key-of-customer-b', share: 0.2, quotaShare: 0.2 },
  { name: 'C', apiKey: 'demo-key-of-customer-c', share: 0.4, quotaShare: 0.9 },
];

export const MISBEHAVING = 'B';
export const MISBEHAVING_TIMES = 10;
