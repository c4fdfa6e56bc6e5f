import { readText, type SettingsError } from '../config/index.js';
import { withDefaults } from '../core/check.js';
import type { RateStore } from '../rate-limit/index.js';
import { createGuard, type Guard, type GuardOptions } from '../server/index.js';
import type { DrainOptions } from '../server/lifecycle/drain.js';
import { type Built, GenerationBuilder } from './build-generation.js';
import { EarlyLook } from './early-look.js';
import type { Generation } from './generation.js';
import { guardOptionsOf } from './guard-settings.js';
import { inDirectory } from './in-directory.js';
import { type Certificates, Listeners, type ListeningAt, readCertificates } from './listeners.js';
import { performQueued } from './queued-requests.js';
import { checkReloadable } from './reload-checks.js';
import { RequestHandler } from './request-handler.js';
import { ServiceClients } from './services/index.js';
import { type GatewaySettings, msOf } from './settings/index.js';
import { SharedState } from './shared-state.js';
import { type GatewaySnapshot, takeSnapshot } from './snapshot.js';
import { StaleShelf } from './stale-shelf.js';

export interface GatewayOptions {
  /** What names of files in settings are relative to. */
  readonly directory: string;
  /** Where limits count, when that is somebody else's. */
  readonly store: RateStore | undefined;
  /** How long the start waits for Redis. */
  readonly connectMs: number | undefined;
  /** Over what settings say of the guard. */
  readonly guard: Partial<GuardOptions>;
  readonly onError: (error: unknown) => void;
  /** Told why a file that settings name, and that has changed, does not hold. */
  readonly onProblem: (error: SettingsError) => void;
}

export const GATEWAY_OPTIONS: GatewayOptions = Object.freeze({
  // Where the process was started.
  directory: '.',
  store: undefined,
  connectMs: undefined,
  guard: Object.freeze({}),
  onError: (error: unknown) => console.error(error),
  onProblem: ({ message }: SettingsError) => console.error(message),
});

/** Guard, routes, limits and clients in front of services, as settings say. Made by `createGateway`. */
export class Gateway {
  readonly guard: Guard;
  readonly #listeners: Listeners;
  readonly #handler: RequestHandler;
  readonly #shared: SharedState;
  readonly #services: ServiceClients;
  readonly #builder: GenerationBuilder;
  readonly #options: GatewayOptions;
  #built: Built;
  #reloads = 0;
  /** One after the other. */
  #reloading: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined = undefined;

  static async create(settings: GatewaySettings, given?: Partial<GatewayOptions>): Promise<Gateway> {
    const options = withDefaults('gateway', GATEWAY_OPTIONS, given);
    const resolve = (file: string) => inDirectory(options.directory, file);
    const readFile = (file: string) => readText(resolve(file));
    const certificates = await readCertificates(settings, readFile);
    const services = new ServiceClients(resolve);
    const { store, connectMs, onError, onProblem } = options;
    let gateway: Gateway | undefined;
    const perform = performQueued(() => gateway!.generation);
    const shared = await SharedState.open(settings, { store, connectMs, resolve, onProblem, perform });
    try {
      const stale = new StaleShelf();
      const builder = new GenerationBuilder({ shared, services, stale, readFile, onError });
      const built = await builder.build(settings, undefined);
      services.use(built.services);
      gateway = new Gateway(built, certificates, { shared, services, builder, stale, options });
      return gateway;
    } catch (error) {
      await shared.close();
      throw error;
    }
  }

  private constructor(built: Built, certificates: readonly Certificates[], parts: GatewayParts) {
    const { shared, services, builder, stale, options } = parts;
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
      trust: (address) => this.generation.isTrustedCaller(address),
      quota,
      onError: options.onError,
      ...options.guard,
    });
    this.#handler = new RequestHandler({
      generation: () => this.generation,
      queue: shared.queue,
      statusPath: settings.queue.statusPath,
      chargesRequests: quota?.unit === 'requests',
      keepCustomer: stale.keepCustomer,
      onError: options.onError,
    });
    const { handle: request, upgrade } = this.#handler;
    this.#listeners = new Listeners(settings.listen, certificates, this.guard, { request, upgrade });
  }

  /** What holds for new requests. */
  get generation(): Generation {
    return this.#built.generation;
  }

  get settings(): GatewaySettings {
    return this.generation.settings;
  }

  /** Rejects, with what is wrong in one line, when it cannot. */
  listen(): Promise<ListeningAt[]> {
    return this.#listeners.open();
  }

  /** Other settings for requests from now on. Rejects when they cannot hold; then nothing has changed. */
  reload(settings: GatewaySettings): Promise<void> {
    const reloading = this.#reloading.then(() => this.#reload(settings));
    this.#reloading = reloading.catch(() => {});
    return reloading;
  }

  async #reload(settings: GatewaySettings): Promise<void> {
    if (this.#closing !== undefined) throw new Error('the gateway is closed');
    checkReloadable(this.settings, settings);
    const readFile = (file: string) => readText(inDirectory(this.#options.directory, file));
    const certificates = await readCertificates(settings, readFile);
    const old = this.#built;
    const built = await this.#builder.build(settings, old);
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
    const { timeout, spread } = this.settings.drain;
    return this.guard.drain({ timeoutMs: msOf(timeout), spreadMs: msOf(spread), ...options });
  }

  /** What it does and why, as plain data. */
  snapshot(): GatewaySnapshot {
    return takeSnapshot(this.guard, this.generation, this.#shared, {
      reloads: this.#reloads,
      unrouted: this.#handler.unrouted,
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
    const { services, limits, batches, claims } = this.#built;
    await Promise.all([...batches.values()].map((batch) => batch.close()));
    await Promise.all([...services.values()].map(({ client }) => client.destroy()));
    await Promise.all([...limits.values()].map((each) => each.close()));
    claims?.value.close();
    await this.#shared.close();
  }
}

interface GatewayParts {
  readonly shared: SharedState;
  readonly services: ServiceClients;
  readonly builder: GenerationBuilder;
  readonly stale: StaleShelf;
  readonly options: GatewayOptions;
}

/** A gateway that does not listen yet. Rejects when a file is missing, or a service cannot be made. */
export function createGateway(
  settings: GatewaySettings,
  options?: Partial<GatewayOptions>,
): Promise<Gateway> {
  return Gateway.create(settings, options);
}
