/**
 * Integration tests that need a process of their own, since what they look at is one for all of it, or more of the machine than
 * their share. All others share a process for each worker, which reads the sources once and not a hundred times.
 */
export const ALONE = [
  // The meters, tracers and counters of OpenTelemetry.
  'test/integration/**/{observability,metrics,quota-metrics,spans}.test.ts',
  // Memory, timers and connections that are left, warnings, the environment.
  'test/integration/client/{churn,standing-still,states}.test.ts',
  'test/integration/gateway/fuzz.test.ts',
  'test/integration/quota/{bodies,quota-recovery}.test.ts',
  // Processor time.
  'test/integration/{cpu,signals}/*.test.ts',
  // Fleets that are given as much as they can do, and more.
  'test/integration/demo/*.test.ts',
  'test/integration/gateway/{batch,stress}/*.test.ts',
];
