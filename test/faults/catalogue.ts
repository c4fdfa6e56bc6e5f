import type { Fault } from './fault.js';
import { ATTACK_FAULTS } from './faults/attacks.js';
import { BACKEND_FAULTS } from './faults/backends.js';
import { CLOCK_FAULTS } from './faults/clocks.js';
import { DATAGRAM_FAULTS } from './faults/datagrams.js';
import { DISK_FAULTS } from './faults/disk.js';
import { GATEWAY_FAULTS } from './faults/gateway.js';
import { OVERFLOW_FAULTS } from './faults/overflow.js';
import { PARTITION_FAULTS } from './faults/partition.js';
import { QUOTA_FAULTS } from './faults/quotas.js';
import { REDIS_FAULTS } from './faults/redis.js';
import { SERVER_FAULTS } from './faults/server.js';

/** All there are, in the order in which they are tried and told of. */
export const FAULTS: readonly Fault[] = [
  ...BACKEND_FAULTS,
  ...PARTITION_FAULTS,
  ...REDIS_FAULTS,
  ...DISK_FAULTS,
  ...CLOCK_FAULTS,
  ...OVERFLOW_FAULTS,
  ...QUOTA_FAULTS,
  ...SERVER_FAULTS,
  ...ATTACK_FAULTS,
  ...DATAGRAM_FAULTS,
  ...GATEWAY_FAULTS,
];
