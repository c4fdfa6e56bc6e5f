import type { Gateway } from '../gateway.js';
import { registerGatewayMetrics } from '../gateway-metrics.js';
import { peekLimit, readQueue, resetLimit } from '../limit-desk.js';
import { printSettings } from '../settings/index.js';
import type { AdminTarget, Readiness } from './admin-target.js';
import { type ReadingParts, Readings } from './readings.js';
import { processReading, shown } from './shown.js';

/** What an admin port may do with the process, on behalf of its gateway. */
export interface GatewayTargetOptions {
  /** Reads settings anew, as SIGHUP does. Rejects with what is wrong. */
  readonly reload: () => Promise<void>;
  /** Begins to end the process, as SIGTERM does. */
  readonly end: () => void;
  /** Told of what went wrong while something was done. */
  readonly onError: (error: unknown) => void;
}

/** A gateway as the admin port sees it. */
export interface GatewayTarget extends AdminTarget {
  /** Measures no more. The gateway itself goes on. */
  close(): void;
}

/** One gateway, in this process. */
export function gatewayTarget(
  gateway: Gateway,
  { reload, end, onError }: GatewayTargetOptions,
): GatewayTarget {
  let readings: Readings | undefined;
  return {
    snapshot: async () => {
      const snapshot = gateway.snapshot();
      return { process: processReading(), ...snapshot, ...shown(snapshot) };
    },
    metrics: () => {
      readings ??= new Readings(() => partsOf(gateway));
      return readings.text();
    },
    readiness: () => readinessOf(gateway.state),
    config: async () => printSettings(gateway.settings),
    lameDuck: async () => gateway.lameDuck(),
    drain: async () => {
      // Known at once, whatever else has to be done first. Whoever ends the process waits for this one.
      gateway.drain().catch(onError);
      end();
    },
    reload,
    limit: (rule, key) => peekLimit(gateway.generation, gateway.shared, rule, key),
    resetLimit: (rule, key) => resetLimit(gateway.generation, rule, key),
    queue: () => readQueue(gateway.generation, gateway.shared),
    onEvent: (listener) => gateway.events.on(listener),
    close: () => readings?.close(),
  };
}

export function readinessOf(state: Gateway['state']): Readiness {
  return state === 'ready' ? { isReady: true, reason: undefined } : { isReady: false, reason: state };
}

function partsOf(gateway: Gateway): ReadingParts {
  const { guard, generation, quota } = gateway;
  return {
    guard,
    clients: [...generation.services.values()].map(({ client }) => client),
    limits: generation.routes.flatMap(({ limits }) => limits ?? []),
    quota,
    registerOwn: (meter) => registerGatewayMetrics(meter, gateway),
  };
}
