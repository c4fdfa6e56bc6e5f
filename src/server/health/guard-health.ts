import type { IncomingMessage, ServerResponse } from 'node:http';
import { withDefaults } from '../../core/check.js';
import type { GateState, LoadReport } from '../../core/index.js';
import { type ClusterMember, joinCluster } from './cluster-member.js';
import { HEALTH_PAGES_DEFAULTS, HealthPages, type HealthPagesOptions } from './health-pages.js';
import type { HealthSource } from './health-source.js';
import { UdpHealth } from './udp-health.js';

/** How a guard tells others how it is. */
export interface HealthOptions extends HealthPagesOptions {
  /** Answer health checks by UDP too, on the port number of the server (`serve` alone). */
  readonly udp: boolean;
}

export const HEALTH_DEFAULTS: HealthOptions = Object.freeze({ ...HEALTH_PAGES_DEFAULTS, udp: true });

interface Subject {
  readonly state: GateState;
  loadReport(): LoadReport;
  onStateChange(listener: (state: GateState) => void): () => void;
}

/** All ways in which a guard tells how it is. */
export class GuardHealth {
  readonly #prefix: string;
  readonly #source: HealthSource;
  readonly #pages: HealthPages;
  readonly #udp: UdpHealth | undefined;
  readonly #member: ClusterMember | undefined;

  constructor(
    subject: Subject,
    given: Partial<HealthOptions>,
    onError: (error: unknown) => void,
    onDrain: () => unknown,
  ) {
    const { udp, ...pages } = withDefaults('health', HEALTH_DEFAULTS, given);
    const source = {
      state: () => subject.state,
      loadReport: () => subject.loadReport(),
      onStateChange: (listener: (state: GateState) => void) => subject.onStateChange(listener),
    };
    this.#prefix = `${pages.prefix}/`;
    // Under node:cluster the primary has the port, and speaks for all workers.
    this.#member = joinCluster(source, onDrain);
    this.#source = this.#member?.source ?? source;
    this.#pages = new HealthPages(this.#source, pages);
    this.#udp = udp && this.#member === undefined ? new UdpHealth(source, onError) : undefined;
  }

  /** Of all workers of a cluster together. */
  get state(): GateState {
    return this.#source.state();
  }

  isHealthPath(url: string): boolean {
    return url.startsWith(this.#prefix);
  }

  answer(req: IncomingMessage, res: ServerResponse, isTrusted: boolean): boolean {
    return this.isHealthPath(req.url ?? '') && this.#pages.handle(req, res, isTrusted);
  }

  async listen(port: number, host?: string): Promise<void> {
    await this.#udp?.listen(port, host);
  }

  /** Ends streams that would never end by themselves. */
  closePages(): void {
    this.#pages.close();
  }

  async close(): Promise<void> {
    this.#pages.close();
    this.#member?.close();
    await this.#udp?.close();
  }
}
