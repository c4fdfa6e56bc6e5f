import { checkInteger, withDefaults } from '../core/check.js';
import {
  CAPACITY_LIMITER_DEFAULTS,
  type CapacityIdentity,
  type CapacityLimiterOptions,
} from '../core/index.js';
import { CALLER_DEFAULTS, type CallerOptions } from './caller-options.js';
import { checkResource } from './capacity-path.js';
import { checkClient, ownName } from './capacity-server-options.js';

/** Whom to ask for which capacity, and how to use it. */
export interface CapacityClientOptions extends CallerOptions, Omit<CapacityLimiterOptions, 'leastWants'> {
  /** Which of the capacities of the server. */
  readonly resource: string;
  /** A name that no other process has at a time. undefined: of the machine, the process, and chance. */
  readonly client: string | undefined;
  /** It asks for at least so much a second, also when there is nothing to do. */
  readonly wants: number;
  /** So many may wait in `take`. */
  readonly maxWaiting: number;
}

const { leastWants, ...LIMITER } = CAPACITY_LIMITER_DEFAULTS;

export const CAPACITY_CLIENT_DEFAULTS: CapacityClientOptions = Object.freeze({
  ...CALLER_DEFAULTS,
  ...LIMITER,
  /** It must be given. */
  resource: '',
  client: undefined,
  wants: leastWants,
  /** A promise each, about 1 kB: a megabyte. Longer queues are of no use to those at their end. */
  maxWaiting: 1_000,
});

/** As each of its parts wants them. */
export interface ClientParts {
  readonly who: CapacityIdentity;
  readonly resource: string;
  readonly maxWaiting: number;
  readonly wants: number;
  readonly limiter: Omit<CapacityLimiterOptions, 'leastWants'>;
  readonly caller: CallerOptions;
}

export function clientOptions(
  given: Partial<CapacityClientOptions>,
  randomBytes: (size: number) => Buffer,
): ClientParts {
  const options = withDefaults('capacity client', CAPACITY_CLIENT_DEFAULTS, given);
  const { resource, client, wants, maxWaiting, url, timeoutMs, headers, tls, transport, ...limiter } =
    options;
  const life = randomBytes(8).toString('hex');
  return {
    who: { client: checkClient(client ?? ownName(life)), life },
    resource: checkResource(resource),
    maxWaiting: checkInteger('maxWaiting', maxWaiting, 0),
    wants,
    limiter,
    caller: { url, timeoutMs, headers, tls, transport },
  };
}
