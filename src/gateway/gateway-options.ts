import type { SettingsError } from '../config/index.js';
import type { RateStore } from '../rate-limit/index.js';
import type { GuardOptions } from '../server/index.js';
import type { GatewayLog } from './logging/index.js';

/** What a gateway is given beside its settings, by whoever embeds it. */
export interface GatewayOptions {
  /** What names of files in settings are relative to. */
  readonly directory: string;
  /** Where limits count, when that is somebody else's. */
  readonly store: RateStore | undefined;
  /** How long a request waits for it; undefined: as Redis is waited for. */
  readonly storeTimeoutMs: number | undefined;
  /** Among how many processes a quota is divided until their coordinator says better. */
  readonly processes: number;
  /** How long the start waits for Redis. */
  readonly connectMs: number | undefined;
  /** Over what settings say of the guard. */
  readonly guard: Partial<GuardOptions>;
  /** Where it is told what it does; it is not closed here. */
  readonly log: GatewayLog | undefined;
  /** Told of what went wrong and has no request to be answered with. */
  readonly onError: (error: unknown) => void;
  /** Told why a file that settings name, and that has changed, does not hold. */
  readonly onProblem: (error: SettingsError) => void;
}

export const GATEWAY_OPTIONS: GatewayOptions = Object.freeze({
  // Where the process was started.
  directory: '.',
  store: undefined,
  storeTimeoutMs: undefined,
  // It has all of it.
  processes: 1,
  connectMs: undefined,
  guard: Object.freeze({}),
  log: undefined,
  onError: (error: unknown) => console.error(error),
  onProblem: ({ message }: SettingsError) => console.error(message),
});
