import { checkInteger, checkNonNegative, checkPositive, withDefaults } from '../../core/check.js';

/** How many clients are told of changes by UDP, and what strangers may cost. */
export interface UdpHealthOptions {
  /** So many clients are told of changes; beyond, those heard of longest ago are not. */
  readonly maxClients: number;
  /** A client that has not asked for so long is told no more. */
  readonly clientExpiryMs: number;
  /** How long a client's proof of its address holds, at least. */
  readonly cookieLifeMs: number;
  /** So many questions of clients that have not proven their address are answered in one turn of the event loop. */
  readonly strangersPerTurn: number;
  /** So many pushes are sent in one turn. */
  readonly pushesPerTurn: number;
  /** When a push is sent again, as long as it is not acknowledged: after the change of state. */
  readonly pushDelaysMs: readonly number[];
}

export const UDP_HEALTH_DEFAULTS: UdpHealthOptions = Object.freeze({
  // As many clients as a large fleet has of one backend; about 400 bytes each.
  maxClients: 10_000,
  // Clients ask about once a second, idle ones every ten: six of those lost in a row is a client that is gone.
  clientExpiryMs: 60_000,
  // RFC 7873 turns a secret over in hours; ours costs nothing to turn, since every answer brings the new cookie along.
  cookieLifeMs: 300_000,
  // About 25 µs each, hashes and a send: under a flood of forged senders, a turn that serves a request of 1 ms loses a
  // tenth. A thousand clients that start at once are still answered within a quarter of a second.
  strangersPerTurn: 4,
  // About 5 µs each: 0.3 ms of each turn until all have been told; 10,000 clients in 160 turns.
  pushesPerTurn: 64,
  // With one datagram in ten lost, one client in 10,000 hears of it only with its next question. The last after
  // what a garbage collection or a busy loop at the other end may take.
  pushDelaysMs: Object.freeze([0, 50, 150, 400]),
});

export function checkUdpHealthOptions(given?: Partial<UdpHealthOptions>): UdpHealthOptions {
  const options = withDefaults('udp', UDP_HEALTH_DEFAULTS, given);
  checkInteger('maxClients', options.maxClients, 0);
  checkPositive('clientExpiryMs', options.clientExpiryMs);
  checkPositive('cookieLifeMs', options.cookieLifeMs);
  checkInteger('strangersPerTurn', options.strangersPerTurn, 1);
  checkInteger('pushesPerTurn', options.pushesPerTurn, 1);
  for (const delayMs of options.pushDelaysMs) checkNonNegative('pushDelaysMs', delayMs);
  return options;
}
