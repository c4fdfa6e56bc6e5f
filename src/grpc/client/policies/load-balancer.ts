import type { Environment, PolicyName } from '../../../core/index.js';
import { Balancer } from './balancer.js';
import type { BalancerSnapshot } from './balancer-snapshot.js';
import {
  type Addresses,
  type ChannelControlHelper,
  type ChannelOptions,
  type Grpc,
  type LoadBalancer,
  TRANSIENT_FAILURE,
  type TypedLoadBalancingConfig,
} from './grpc-api.js';
import type { LiveBalancers } from './policy-metrics.js';
import { POLICY_TYPES, type PolicySettings } from './policy-settings.js';

/** A policy's options as grpc-js wants to hold them. */
export class PolicyConfig implements TypedLoadBalancingConfig {
  readonly name: PolicyName;
  readonly settings: PolicySettings;

  constructor(name: PolicyName, settings: PolicySettings) {
    this.name = name;
    this.settings = settings;
  }

  getLoadBalancerName(): string {
    return POLICY_TYPES[this.name];
  }

  toJsonObject(): object {
    return { [this.getLoadBalancerName()]: this.settings.json };
  }
}

/** What grpc-js makes for each channel. It keeps one balancer for as long as the options stay the same. */
export class PlimsollLoadBalancer implements LoadBalancer {
  readonly #name: PolicyName;
  readonly #grpc: Grpc;
  readonly #environment: Environment;
  readonly #live: LiveBalancers<PlimsollLoadBalancer>;
  readonly #helper: ChannelControlHelper;
  #balancer: Balancer | undefined = undefined;
  #json = '';

  constructor(
    name: PolicyName,
    grpc: Grpc,
    environment: Environment,
    live: LiveBalancers<PlimsollLoadBalancer>,
    helper: ChannelControlHelper,
  ) {
    this.#name = name;
    this.#grpc = grpc;
    this.#environment = environment;
    this.#live = live;
    this.#helper = helper;
    live.add(this);
  }

  updateAddressList(
    addresses: Addresses,
    config: TypedLoadBalancingConfig,
    options: ChannelOptions,
    note = '',
  ): boolean {
    if (!(config instanceof PolicyConfig)) return false;
    if (!addresses.ok) return this.#onNone(addresses.error.details);
    const { value: endpoints } = addresses;
    if (endpoints.length === 0) {
      this.#onNone(`no addresses were found ${note}`.trim());
      return false;
    }
    this.#balancerFor(config.settings).update(endpoints, options);
    return true;
  }

  /** The resolver failed: those that are known are still there. */
  #onNone(details: string): boolean {
    if (this.#balancer !== undefined) return true;
    const { UnavailablePicker } = this.#grpc.experimental;
    this.#helper.updateState(TRANSIENT_FAILURE, new UnavailablePicker({ details }), details);
    return true;
  }

  #balancerFor(settings: PolicySettings): Balancer {
    const json = JSON.stringify(settings.json);
    if (this.#balancer !== undefined && json === this.#json) return this.#balancer;
    this.#balancer?.close();
    this.#json = json;
    this.#balancer = new Balancer({
      grpc: this.#grpc,
      environment: this.#environment,
      name: this.#name,
      settings,
      helper: this.#helper,
    });
    return this.#balancer;
  }

  snapshot(): BalancerSnapshot | undefined {
    return this.#balancer?.snapshot();
  }

  exitIdle(): void {
    this.#balancer?.wake();
  }

  /** Connections have their own backoff, which is short. */
  resetBackoff(): void {}

  destroy(): void {
    this.#live.delete(this);
    this.#balancer?.close();
    this.#balancer = undefined;
  }

  getTypeName(): string {
    return POLICY_TYPES[this.#name];
  }
}
