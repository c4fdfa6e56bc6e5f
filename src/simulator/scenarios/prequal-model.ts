import type { PolicyName } from '../../core/picking/index.js';
import type { FleetInput } from '../fleet/index.js';
import type { ArrivalsSpec } from '../models/index.js';

/** Truncated at 0 its mean is 1.288 times this, 71 ms, and its median latency on an idle core 75 ms or so, as there. */
const COST = { normal: { mean: 55, deviation: 55 } };
const MEAN_COST_MS = 55 * 1.288;

const BACKENDS = 100;
const CLIENTS = 100;

export interface PrequalModel {
  readonly policy: PolicyName;
  /** Demand over what is reserved, as it is at the beginning. */
  readonly load: number;
  /** Factors of that load, later. */
  readonly steps?: Extract<ArrivalsSpec, object>['steps'];
  readonly warmupMs: number;
  readonly durationMs: number;
}

/**
 * The testbed of "Load is not what you should balance" (NSDI 2024), as a fixed model: 100 clients, and 100 machines of
 * 10 cores with one backend each that has 1 core reserved and is free to use idle ones. On 20 % of the machines
 * neighbours leave nothing beyond the reserved core, on the others 0.5 to 3 cores, redrawn every 30 s or so. Nothing
 * refuses, retries or ejects: what is compared is where requests are sent.
 */
export function prequalModel({ policy, load, steps, warmupMs, durationMs }: PrequalModel): FleetInput {
  const perSecond = (load * BACKENDS * 1_000) / MEAN_COST_MS / CLIENTS;
  const neighbours = { busyShare: 0.2, idleCores: { uniform: { from: 0.5, to: 3 } }, redrawMs: 30_000 };
  return {
    warmupMs,
    durationMs,
    services: { web: { backends: [{ count: BACKENDS, neighbours }], costMs: COST, guard: false } },
    clients: {
      callers: {
        count: CLIENTS,
        service: 'web',
        arrivals: steps === undefined ? perSecond : { perSecond, steps: [...steps] },
        deadlineMs: 5_000,
        policy,
        throttle: false,
        retry: { maxAttempts: 1 },
        activeLimit: 10_000,
        ejects: false,
      },
    },
  };
}
