import type { BackendState, Picker, PolicyName, Roster } from '../../../core/index.js';

/** A backend as a channel sees it. */
export interface GrpcBackendSnapshot {
  readonly address: string;
  readonly state: BackendState;
  /** Calls that have not ended. */
  readonly active: number;
  /** The share it should get, 1 for the largest; undefined where the policy has no weights. */
  readonly weight: number | undefined;
}

/** What the policy of one channel knows, as plain data. */
export interface BalancerSnapshot {
  readonly service: string;
  readonly policy: PolicyName;
  /** All that the resolver found; `backends` are those in this client's subset. */
  readonly known: number;
  readonly backends: readonly GrpcBackendSnapshot[];
  /** Calls that wait since all backends are at their limit. */
  readonly waiting: number;
}

export function snapshotOf(
  about: Pick<BalancerSnapshot, 'service' | 'policy' | 'known' | 'waiting'>,
  { roster, picker }: { readonly roster: Roster; readonly picker: Picker },
): BalancerSnapshot {
  const backends = Array.from(roster.members(), (backend) => {
    const { key: address, state, active } = backend;
    return { address, state, active, weight: picker.weightOf(backend) };
  });
  return { ...about, backends };
}
