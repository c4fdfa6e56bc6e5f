import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memoryStore } from '../stores/memory/memory-store.js';
import type { RateStore } from '../stores/rate-store.js';
import { LimitDecider } from './deciding/limit-decider.js';
import type { RuleTotals } from './deciding/rule-stats.js';
import { observeService } from './deciding/service-metrics.js';
import { GrpcListener } from './http2/grpc-listener.js';
import { RateRules } from './rules/limit-options.js';
import { loadRules, type Rules, RulesFiles } from './rules/rules-files.js';
import {
  checkServiceOptions,
  type GivenServiceOptions,
  type RateLimitServiceOptions,
} from './service-options.js';
import { grpcCalls } from './serving/grpc-calls.js';
import { Health } from './serving/health.js';
import { debugPages, httpPages } from './serving/http-pages.js';

/** Ports that it listens on. */
export interface ServicePorts {
  readonly grpc: number;
  readonly http: number | undefined;
  readonly debug: number | undefined;
}

/** Envoy's rate limit service, on our limiter. */
export class RateLimitService {
  readonly ports: ServicePorts;
  readonly #parts: Parts;
  readonly #servers: readonly Server[];
  #closed: Promise<void> | undefined = undefined;

  /** Rejects with a SettingsError when the rules are wrong, and as `listen` does when a port is taken. */
  static async start(given: GivenServiceOptions): Promise<RateLimitService> {
    const options = checkServiceOptions(given);
    const parts = await partsOf(options);
    const { decider, health, listener } = parts;
    const pages = options.httpPort === false ? undefined : httpPages(decider, health, options.onError);
    const debug = options.debugPort === false ? undefined : debugPages(decider);
    const servers = [pages, debug].filter((server) => server !== undefined);
    try {
      const { host, grpcPort: port } = options;
      const ports = {
        grpc: await listener.listen({ host, port }),
        http: pages && (await listen(pages, host, Number(options.httpPort))),
        debug: debug && (await listen(debug, host, Number(options.debugPort))),
      };
      options.onRules(describe(parts.files.rules));
      return new RateLimitService(parts, servers, ports);
    } catch (error) {
      await closeAll(parts, servers, 1);
      throw error;
    }
  }

  private constructor(parts: Parts, servers: readonly Server[], ports: ServicePorts) {
    this.#parts = parts;
    this.#servers = servers;
    this.ports = ports;
  }

  /** Reads files again; resolves when they hold, or were told to `onProblem`. */
  reload(): Promise<void> {
    return this.#parts.files.reload();
  }

  /** What rules were hit since the start. */
  snapshot(): readonly Readonly<RuleTotals>[] {
    return this.#parts.decider.stats.snapshot();
  }

  /** Says that it is not serving, answers what was asked, and ends; after `drainMs` at the latest. */
  close(): Promise<void> {
    this.#closed ??= closeAll(this.#parts, this.#servers, this.#parts.options.drainMs);
    return this.#closed;
  }
}

interface Parts {
  readonly options: RateLimitServiceOptions;
  readonly files: RulesFiles;
  readonly decider: LimitDecider;
  readonly health: Health;
  readonly listener: GrpcListener;
  readonly stopMetrics: () => void;
  /** Undefined when it was given: it may serve others. */
  readonly ownStore: RateStore | undefined;
}

async function partsOf(options: RateLimitServiceOptions): Promise<Parts> {
  const rateRules = new RateRules();
  const loads = { ok: 1, failed: 0 };
  let decider: LimitDecider | undefined;
  const files = await RulesFiles.open(options.paths, rateRules, {
    mergeDomains: options.mergeDomains,
    pollMs: options.pollMs,
    settleMs: options.settleMs,
    onChange: (rules) => {
      loads.ok++;
      if (decider !== undefined) decider.rules = rules;
      options.onRules(describe(rules));
    },
    onProblem: (error) => {
      loads.failed++;
      options.onProblem(error);
    },
  });
  const ownStore = options.store === undefined ? memoryStore({ maxKeys: options.maxKeys }) : undefined;
  const made = new LimitDecider(files.rules, rateRules, {
    store: options.store ?? ownStore!,
    timeoutMs: options.timeoutMs,
    onStoreFailure: options.onStoreFailure,
    isShadow: options.shadow,
    responseHeaders: options.responseHeaders,
    requestHeaders: options.requestHeaders,
    withMetadata: options.dynamicMetadata,
    nearRatio: options.nearLimitRatio,
    nowMs: Date.now,
  });
  decider = made;
  const stopMetrics = observeService({
    stats: made.stats,
    store: made.calls,
    loads,
    get shadowed() {
      return made.shadowed;
    },
  });
  const health = new Health();
  const listener = new GrpcListener(grpcCalls(made, health), options);
  return { options, files, decider: made, health, listener, stopMetrics, ownStore };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function closeAll(parts: Parts, servers: readonly Server[], drainMs: number): Promise<void> {
  parts.health.isServing = false;
  parts.files.close();
  // All at once: each may take as long as it was promised for the whole.
  await Promise.all([
    parts.listener.close(drainMs),
    ...servers.map(async (server) => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), drainMs).unref();
      await closed;
    }),
  ]);
  parts.decider.close();
  parts.stopMetrics();
  await parts.ownStore?.close();
}

function describe(rules: Rules): string {
  const limits = [...rules.values()].reduce((sum, tree) => sum + tree.describe().length, 0);
  return `${rules.size} ${rules.size === 1 ? 'domain' : 'domains'}, ${limits} ${limits === 1 ? 'limit' : 'limits'}`;
}

/** What files say, in a few words; rejects with a SettingsError when they are wrong. */
export async function readRules(paths: readonly string[], mergeDomains = false): Promise<string> {
  return describe(await loadRules(paths, mergeDomains));
}

/** Starts it: `const service = await startRateLimitService({ paths: ['rules.yaml'] })`. */
export function startRateLimitService(options: GivenServiceOptions): Promise<RateLimitService> {
  return RateLimitService.start(options);
}
