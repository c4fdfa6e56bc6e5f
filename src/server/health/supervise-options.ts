import { checkInteger, checkPositive, withDefaults } from '../../core/check.js';
import type { UdpHealthOptions } from './udp-health-options.js';

/** How a primary of `node:cluster` speaks for its workers. */
export interface SuperviseOptions {
  /** Where UDP health answers; undefined: on the port that the first worker listens to. */
  readonly port: number | undefined;
  /** Undefined: on every address. */
  readonly host: string | undefined;
  /** How UDP health answers; `false`: not at all. */
  readonly udp: Partial<UdpHealthOptions> | false;
  /** Whether SIGTERM and SIGINT end workers and process, in good order. */
  readonly signals: boolean;
  /** Workers that have not ended by themselves after so long are killed. */
  readonly drainMs: number;
  /** Told when UDP cannot be had. */
  readonly onError: (error: Error) => void;
}

export const SUPERVISE_DEFAULTS: SuperviseOptions = Object.freeze({
  port: undefined,
  host: undefined,
  udp: Object.freeze({}),
  signals: true,
  // A worker ends itself at the latest after its drain time, 25 s by default; Kubernetes kills after 30.
  drainMs: 28_000,
  onError: (error: Error) => console.error(error),
});

export function checkSuperviseOptions(given?: Partial<SuperviseOptions>): SuperviseOptions {
  const options = withDefaults('superviseWorkers', SUPERVISE_DEFAULTS, given);
  if (options.port !== undefined) checkInteger('port', options.port, 0, 65_535);
  checkPositive('drainMs', options.drainMs);
  return options;
}
