import { isIP } from 'node:net';
import type { Metadata } from '@grpc/grpc-js';
import type { Attributes } from '@opentelemetry/api';
import type { SpanConvention } from '../../client/observing/spans.js';
import type { GrpcAttempt } from './grpc-attempt.js';
import type { GrpcExchange } from './grpc-exchange.js';
import { OK, STATUS_NAMES } from './status-codes.js';

/**
 * As OpenTelemetry's conventions for gRPC have it: `server` is whom the call is for, `network.peer` who got it. They know of no
 * retries; gRFC A72 does.
 */
export const GRPC_SPANS: SpanConvention<GrpcExchange, GrpcAttempt, Metadata> = {
  begin({ path, service }, _attempt, count) {
    const method = path.replace(/^\//, '');
    return {
      name: method,
      attributes: {
        'rpc.system.name': 'grpc',
        'rpc.method': method,
        'server.address': service,
        ...(count > 1 ? { 'previous-rpc-attempts': count - 1 } : {}),
      },
    };
  },

  end(attempt, outcome) {
    const { status, backend } = attempt;
    // The caller gave up, and nobody has told with which status: it is the one for that.
    const name = status === undefined ? (outcome === 'aborted' ? 'CANCELLED' : outcome) : nameOf(status);
    return {
      attributes: { 'rpc.response.status_code': name, ...peerAttributes(backend) },
      // "All status codes except OK" are errors to a client.
      error: status === OK ? undefined : name,
    };
  },

  put: (metadata, name, value) => metadata.set(name, value),
};

function nameOf(code: number): string {
  return STATUS_NAMES[code] ?? String(code);
}

/** Of `127.0.0.1:5000` or `[::1]:5000`. Before there is a connection it is what the channel was made for, and no peer. */
export function peerAttributes(peer: string): Attributes {
  const [, address, port] = /^\[?(.+?)\]?:(\d+)$/.exec(peer) ?? [];
  if (address === undefined || isIP(address) === 0) return {};
  return { 'network.peer.address': address, 'network.peer.port': Number(port) };
}
