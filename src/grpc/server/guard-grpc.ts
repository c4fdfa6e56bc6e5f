import type { Server } from '@grpc/grpc-js';
import { checkInteger, checkPositive, withDefaults } from '../../core/check.js';
import type { Guard } from '../../server/index.js';
import { GrpcAttachment } from './attachment.js';
import { HEALTH_DEFINITION, HEALTH_PATHS, HealthService } from './health-service.js';
import type { GrpcHandler } from './method.js';
import { ORCA_DEFINITION, ORCA_PATHS, OrcaService } from './orca-service.js';

/** What a guarded server of gRPC offers beside its own methods. */
export interface GrpcGuardOptions {
  /** Cheaper answers, for when there is too much to do, by the path of the method: `/shop.Cart/Show`. */
  readonly degraded: Readonly<Record<string, GrpcHandler>>;
  /** Whether the server has `grpc.health.v1` of the guard's. Say no if it has its own. */
  readonly health: boolean;
  /** So many watch the health at once; to more it is as if there were no such method. */
  readonly maxWatchers: number;
  /** Whether load is reported out of band, too (`OpenRcaService`). */
  readonly orca: boolean;
  /** So many streams of reports at once. */
  readonly maxReportStreams: number;
  /** A report on one of them is no more frequent than this. */
  readonly leastReportMs: number;
}

export const GRPC_GUARD_DEFAULTS: GrpcGuardOptions = Object.freeze({
  degraded: Object.freeze({}),
  health: true,
  // As for the watch streams of HTTP.
  maxWatchers: 1_000,
  orca: true,
  maxReportStreams: 1_000,
  // As often as clients reweigh (gRFC A58). A thousand streams are then a thousand messages a second, 3 % of a core.
  leastReportMs: 1_000,
});

/**
 * Puts the calls of a server of grpc-js through a guard, and returns the server. Before `bindAsync`, best before
 * `addService`. The same guard may have other servers: all of them share its gate, as they share its CPU.
 */
export function guardGrpc<S extends Server>(server: S, guard: Guard, given?: Partial<GrpcGuardOptions>): S {
  const options = withDefaults('guardGrpc', GRPC_GUARD_DEFAULTS, given);
  checkInteger('maxWatchers', options.maxWatchers, 0);
  checkInteger('maxReportStreams', options.maxReportStreams, 0);
  checkPositive('leastReportMs', options.leastReportMs);
  const exempt = new Set([...(options.health ? HEALTH_PATHS : []), ...(options.orca ? ORCA_PATHS : [])]);
  const attachment = new GrpcAttachment(server, (guest) => guard.host(guest), options.degraded, exempt);
  if (options.health) {
    const services = () => servicesOf(attachment.methods.keys());
    const health = new HealthService(guard, services, options.maxWatchers);
    server.addService(HEALTH_DEFINITION, health.implementation);
    attachment.onStop(() => health.close());
  }
  if (options.orca) {
    const orca = new OrcaService(() => guard.loadReport(), options.leastReportMs, options.maxReportStreams);
    server.addService(ORCA_DEFINITION, orca.implementation);
    attachment.onStop(() => orca.close());
  }
  return server;
}

/** `/shop.Cart/Show` is of `shop.Cart`. */
function servicesOf(paths: Iterable<string>): Set<string> {
  return new Set(Array.from(paths, (path) => path.slice(1, path.lastIndexOf('/'))));
}
