/**
 * What a backend says about its load in every answer and health check (SRE ch. 20, "Weighted Round Robin"; the fields
 * are ORCA's). All are as the backend claims them: whoever decodes one has made sure the numbers are finite and >= 0.
 */
export interface LoadReport {
  /** Share of the CPU reserved for it, 1 = all; may go above. */
  readonly cpuUtilization?: number;
  /** The backend's own idea of how full it is; preferred over the CPU when > 0. */
  readonly applicationUtilization?: number;
  /** Requests per second it is serving, over all clients. */
  readonly requestsPerSecond?: number;
  /** Errors per second among them. */
  readonly errorsPerSecond?: number;
  /** Requests it is working on right now. */
  readonly inFlight?: number;
  /** Median latency of recent requests that arrived at a similar number in flight. */
  readonly latencyMs?: number;
}
