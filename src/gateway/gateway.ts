import { withDefaults } from '../core/check.js';
import type { Quota } from '../quota/index.js';
import { createGuard, type Guard } from '../server/index.js';
import type { DrainOptions } from '../server/lifecycle/drain.js';
import { type Built, GenerationBuilder } from './build-generation.js';
import { type Certificates, readCertificates } from './certificates.js';
import { EarlyLook } from './early-look.js';
import { EventSources } from './event-sources.js';
import { FailedSettings } from './failed-settings.js';
import { GatewayEvents } from './gateway-events.js';
import { observeGateway } from './gateway-metrics.js';
import { GATEWAY_OPTIONS, type GatewayOptions } from './gateway-options.js';
import type { Generation } from './generation.js';
import { guardOptionsOf } from './guard-settings.js';
import { inDirectory } from './in-directory.js';
import { Listeners, type ListeningAt } from './listeners.js';
import { namedFiles } from './named-files.js';
import { performQueued } from './queued-requests.js';
import { checkReloadable } from './reload-checks.js';
import { RequestHandler } from './request-handler.js';
import { ServiceClients } from './services/index.js';
import { type GatewaySettings, msOf } from './settings/index.js';
import { SharedState } from './shared-state.js';
import { type GatewaySnapshot, type GatewayState, takeSnapshot } from './snapshot.js';
import { StaleShelf } from './stale-shelf.js';
import { StaleStandIn } from './stand-in.js';

/** Guard, routes, limits and clients in front of services, as settings say. Made by `createGateway`. */
export class Gateway {
  readonly guard: Guard;
  /** What happens to it, as it happens. */
  readonly events = new GatewayEvents();
  readonly #failed = new FailedSettings(this.events);
  readonly #sources: EventSources;
  readonly #stopMetrics: () => void;
  readonly #listeners: Listeners;
  readonly #handler: RequestHandler;
  readonly #shared: SharedState;
  readonly #services: ServiceClients;
  readonly #builder: GenerationBuilder;
  readonly #options: GatewayOptions;
  #built: Built;
  #reloads = 0;
  #refusedConnections = 0;
  #isOpen = false;
  #isDraining = false;
  /** One after the other. */
  #reloading: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined = undefined;

  static async create(settings: GatewaySettings, given?: Partial<GatewayOptions>): Promise<Gateway> {
    const options = withDefaults('gateway', GATEWAY_OPTIONS, given);
    const resolve = (file: string) => inDirectory(options.directory, file);
    const { directory } = options;
    const certificates = await readCertificates(settings, namedFiles(settings, directory));
    const services = new ServiceClients(resolve);
    const { store, storeTimeoutMs, processes, connectMs, onError, onProblem } = options;
    let gateway: Gateway | undefined;
    const perform = performQueued(() => gateway!.generation);
    const shared = await SharedState.open(settings, {
      store,
      storeTimeoutMs,
      processes,
      connectMs,
      resolve,
      onProblem,
      perform,
    });
    try {
      const stale = new StaleShelf();
      const builder = new GenerationBuilder({ shared, services, stale, directory, onError });
      const built = await builder.build(settings, undefined);
      services.use(built.services);
      gateway = new Gateway(built, certificates, { shared, services, builder, options });
      return gateway;
    } catch (error) {
      await shared.close();
      throw error;
    }
  }

  private constructor(built: Built, certificates: readonly Certificates[], parts: GatewayParts) {
    const { shared, services, builder, options } = parts;
    const { settings } = built.generation;
    this.#built = built;
    this.#shared = shared;
    this.#services = services;
    this.#builder = builder;
    this.#options = options;
    const look = new EarlyLook(() => this.generation, shared.quota !== undefined);
    const { quota } = shared;
    this.guard = createGuard({
      ...guardOptionsOf(settings),
      customer: look.customer,
      criticality: look.criticality,
      aside: look.aside,
      trust: (address) => this.generation.isTrustedCaller(address),
      quota,
      onError: options.onError,
      ...options.guard,
    });
    this.guard.useStandIn(
      new StaleStandIn(
        () => this.generation,
        () => look.lastHead,
      ),
    );
    builder.ownUtilization = () => this.guard.loadReport().applicationUtilization;
    this.#handler = new RequestHandler({
      generation: () => this.generation,
      queue: shared.queue,
      statusPath: settings.queue.statusPath,
      chargesRequests: quota?.unit === 'requests',
      onError: options.onError,
      log: options.log?.requests,
    });
    const { handle: request, upgrade } = this.#handler;
    this.#listeners = new Listeners(settings, certificates, this.guard, {
      request,
      upgrade,
      connectionRefused: this.connectionRefused,
    });
    this.#sources = new EventSources(this.events, {
      guard: this.guard,
      quota,
      services: () => this.generation.services,
      limits: () => this.generation.routes.flatMap(({ limits }) => limits ?? []),
    });
    this.#stopMetrics = observeGateway(this);
    options.log?.follow({
      events: this.events,
      generation: () => this.generation,
      lastHead: () => look.lastHead,
      isCut: () => this.guard.state === 'closed',
    });
  }

  /** What holds for new requests. */
  get generation(): Generation {
    return this.#built.generation;
  }

  get settings(): GatewaySettings {
    return this.generation.settings;
  }

  get quota(): Quota | undefined {
    return this.#shared.quota;
  }

  /** What outlives a change of settings. */
  get shared(): SharedState {
    return this.#shared;
  }

  get state(): GatewayState {
    const { state } = this.guard;
    if (this.#isDraining && state !== 'closed') return 'draining';
    return state === 'ready' && !this.#isOpen ? 'starting' : state;
  }

  /** Rejects, with what is wrong in one line, when it cannot. */
  async listen(): Promise<ListeningAt[]> {
    const opened = await this.#listeners.open();
    this.#isOpen = true;
    // Not sooner: what waits would be tried, and have lost an attempt, by one that has no routes yet or cannot begin.
    this.#shared.queue?.start();
    this.#options.log?.listening(opened);
    return opened;
  }

  /**
   * Other settings for requests from now on. Rejects when they cannot hold; then nothing has changed. `confirm` is asked when
   * all is made and only has to be used: if that rejects, nothing has changed either.
   */
  reload(settings: GatewaySettings, confirm?: () => Promise<void>): Promise<void> {
    const reloading = this.#reloading.then(() => this.#reload(settings, confirm));
    this.#reloading = reloading.then(
      () => this.events.emit({ kind: 'reload' }),
      (error: unknown) => this.settingsFailed(error),
    );
    return reloading;
  }

  /** For settings that cannot be read, and never come to `reload`. What has failed there is known already. */
  settingsFailed(error: unknown): void {
    this.#failed.note(error);
  }

  async #reload(settings: GatewaySettings, confirm?: () => Promise<void>): Promise<void> {
    if (this.#closing !== undefined) throw new Error('the gateway is closed');
    checkReloadable(this.settings, settings);
    const { directory } = this.#options;
    const certificates = await readCertificates(settings, namedFiles(settings, directory));
    const old = this.#built;
    const built = await this.#builder.build(settings, old);
    try {
      await confirm?.();
    } catch (error) {
      await this.#builder.discard(built, old);
      throw error;
    }
    const retired = this.#services.use(built.services);
    this.#built = built;
    this.#reloads++;
    this.#listeners.renew(certificates);
    old.generation.retire(() => {
      for (const { client } of retired) client.close().catch(this.#options.onError);
      for (const [key, limits] of old.limits)
        if (built.limits.get(key) !== limits) limits.close().catch(this.#options.onError);
      for (const [key, batch] of old.batches)
        if (built.batches.get(key) !== batch) batch.close().catch(this.#options.onError);
      if (old.claims !== built.claims) old.claims?.value.close();
    });
  }

  /** Serves on, and tells all clients to go elsewhere. */
  lameDuck(): void {
    this.guard.lameDuck();
  }

  /** Lame duck, then the end of all requests; as long as settings say. */
  drain(options?: Partial<DrainOptions>): Promise<void> {
    if (!this.#isDraining) this.events.emit({ kind: 'drain' });
    this.#isDraining = true;
    const { timeout, spread } = this.settings.drain;
    return this.guard.drain({ timeoutMs: msOf(timeout), spreadMs: msOf(spread), ...options });
  }

  /** A connection was one too many, and is closed. Called by whoever bounds them in place of the servers of this one. */
  readonly connectionRefused = (): void => {
    this.#refusedConnections++;
  };

  /** What it does and why, as plain data. */
  snapshot(): GatewaySnapshot {
    return takeSnapshot(this.guard, this.generation, this.#shared, {
      state: this.state,
      reloads: this.#reloads,
      failedReloads: this.#failed.count,
      unrouted: this.#handler.unrouted,
      refusedConnections: this.#refusedConnections,
      recent: this.#handler.refusals.values(),
      log: this.#options.log?.snapshot(),
    });
  }

  /** Drains, and lets go of everything. */
  close(options?: Partial<DrainOptions>): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options?: Partial<DrainOptions>): Promise<void> {
    await this.drain(options);
    this.#listeners.close();
    await this.#reloading;
    // What is under way there is sent by the clients that are let go of next.
    await this.#shared.queue?.close();
    const { services, limits, batches, claims } = this.#built;
    await Promise.all([...batches.values()].map((batch) => batch.close()));
    await Promise.all([...services.values()].map(({ client }) => client.destroy()));
    await Promise.all([...limits.values()].map((each) => each.close()));
    claims?.value.close();
    this.#sources.close();
    this.#stopMetrics();
    await this.#shared.close();
    this.#options.log?.info('closed');
  }
}

interface GatewayParts {
  readonly shared: SharedState;
  readonly services: ServiceClients;
  readonly builder: GenerationBuilder;
  readonly options: GatewayOptions;
}

/** A gateway that does not listen yet. Rejects when a file is missing, or a service cannot be made. */
export function createGateway(
  settings: GatewaySettings,
  options?: Partial<GatewayOptions>,
): Promise<Gateway> {
  return Gateway.create(settings, options);
}
