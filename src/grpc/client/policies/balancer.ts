import { tellBackendState } from '../../../client/observing/client-tally.js';
import { warnOfAnonymity } from '../../../client/service/choose-subsetting.js';
import { LastResorts } from '../../../client/service/last-resorts.js';
import {
  type Backend,
  type Environment,
  hashedSeats,
  type Picker,
  type PolicyName,
  type Roster,
  Subset,
} from '../../../core/index.js';
import { BalancerPicker } from './balancer-picker.js';
import { type BalancerSnapshot, snapshotOf } from './balancer-snapshot.js';
import {
  type ChannelControlHelper,
  type ChannelOptions,
  CONNECTING,
  type Endpoint,
  type Grpc,
  READY,
  TRANSIENT_FAILURE,
} from './grpc-api.js';
import { Link } from './link.js';
import { OrcaProbes } from './orca-probes.js';
import type { CallWatcher } from './picked-call.js';
import type { PolicySettings } from './policy-settings.js';

export interface BalancerParts {
  readonly grpc: Grpc;
  readonly environment: Environment;
  readonly name: PolicyName;
  readonly settings: PolicySettings;
  readonly helper: ChannelControlHelper;
}

/** The backends of one channel: subset, connections, and who gets which call. What grpc-js calls a load balancer drives it. */
export class Balancer implements CallWatcher {
  readonly environment: Environment;
  readonly roster: Roster;
  readonly picker: Picker;
  readonly probes: OrcaProbes | undefined;
  readonly #parts: BalancerParts;
  readonly #subset: Subset | undefined;
  readonly #links = new Map<string, Link>();
  readonly #byBackend = new WeakMap<Backend, Link>();
  readonly #lastResorts: LastResorts;
  readonly #grpcPicker: BalancerPicker;
  #endpoints: ReadonlyMap<string, Endpoint> = new Map();
  #options: ChannelOptions = {};
  /** Changes come in bundles; the channel is told once of each. */
  #isPaused = false;
  #isAdopting = false;
  #isStale = false;
  #isClosed = false;

  constructor(parts: BalancerParts) {
    const { environment, settings, grpc } = parts;
    this.#parts = parts;
    this.environment = environment;
    this.roster = settings.createRoster();
    this.picker = settings.createPicker(this.roster, environment.random);
    const { options } = settings.subsetting;
    this.#subset = options === undefined ? undefined : new Subset(options);
    this.#lastResorts = new LastResorts(this.roster);
    this.#grpcPicker = new BalancerPicker(this, settings.waiting, () => this.#tellChannel());
    const { probing } = this.picker;
    if (probing !== undefined && settings.probe === 'orca')
      this.probes = new OrcaProbes(grpc, probing, environment, (backend) => this.linkOf(backend));
  }

  linkOf(backend: Backend): Link | undefined {
    return this.#byBackend.get(backend);
  }

  /** Some backend has not been tried yet, or is being connected to again. */
  get isHopeful(): boolean {
    for (const link of this.#links.values()) if (link.isBeingTried) return true;
    return false;
  }

  /** What was wrong with the connection that failed last. */
  get lastError(): string | undefined {
    let last: string | undefined;
    for (const link of this.#links.values()) last = link.error ?? last;
    return last;
  }

  /** What the resolver says. */
  update(endpoints: readonly Endpoint[], options: ChannelOptions): void {
    const { settings, grpc } = this.#parts;
    const { subchannelAddressToString: textOf } = grpc.experimental;
    // A backend with several addresses (IPv4 and IPv6) is one.
    const keyOf = ({ addresses }: Endpoint) => addresses.map((each) => textOf(each)).join(',');
    this.#endpoints = new Map(endpoints.map((each) => [keyOf(each), each]));
    this.#options = options;
    const keys = [...this.#endpoints.keys()].toSorted();
    const { options: subset, seats, isAnonymous } = settings.subsetting;
    this.#subset?.update(seats === 'hashed' ? hashedSeats(keys) : keys);
    this.#change(() => this.#adopt());
    if (isAnonymous && subset!.size < keys.length) warnOfAnonymity(subset!.size, keys.length);
  }

  /** A connection may tell at once that it has failed, in the midst of it: then others are members, and it is done anew. */
  #adopt(): void {
    this.#isStale = true;
    if (this.#isAdopting) return;
    this.#isAdopting = true;
    try {
      while (this.#isStale) this.#adoptOnce();
    } finally {
      this.#isAdopting = false;
    }
  }

  /** Who is to be connected to: the members, and those whose place others have taken until they are back. */
  #adoptOnce(): void {
    const members = this.#subset?.members ?? [...this.#endpoints.keys()];
    const wanted = new Set([...members, ...(this.#subset?.preferred ?? [])]);
    for (const [key, link] of this.#links) if (!wanted.has(key)) this.#drop(link);
    this.#isStale = false;
    for (const key of wanted) if (!this.#links.has(key)) this.#add(key);
    if (this.#isStale) return;
    this.roster.update(members);
    const now = this.environment.monotonicMs();
    for (const key of members) {
      const link = this.#links.get(key)!;
      this.#byBackend.set(this.roster.get(key)!, link);
      this.#lastResorts.mark(link, now);
    }
  }

  #add(key: string): void {
    const { grpc, helper } = this.#parts;
    const parts = { grpc, helper, options: this.#options };
    const link = new Link(key, this.#endpoints.get(key)!, parts, (changed, wasReady) =>
      this.#onChange(changed, wasReady),
    );
    this.#links.set(key, link);
    link.open();
  }

  /** Calls that run there go on to their end: grpc-js keeps the connection for them. */
  #drop(link: Link): void {
    this.#links.delete(link.key);
    this.#lastResorts.forget(link.key);
    link.close();
  }

  #onChange(link: Link, wasReady: boolean): void {
    if (this.#isClosed || this.#links.get(link.key) !== link) return;
    // A connection that has ended may mean that the list is old.
    if (wasReady && link.connection !== 'ready') this.#parts.helper.requestReresolution();
    this.#change(() => this.#mark(link));
  }

  #mark(link: Link): void {
    const { connection, key } = link;
    tellBackendState(this.#parts.settings.service, key, connection);
    const change = this.#subset?.setUp(key, connection === 'ready' || link.isBeingTried);
    if (change !== undefined && change.joined.length + change.left.length > 0) this.#adopt();
    else this.#lastResorts.mark(link, this.environment.monotonicMs());
    link.wake();
  }

  onEnded(link: Link, isLame: boolean): void {
    if (this.#isClosed) return;
    if (isLame && this.#links.get(link.key) === link) this.#onLame(link);
    this.#grpcPicker.onRoom();
  }

  #onLame(link: Link): void {
    const onOver = () => this.#change(() => this.#mark(link));
    if (link.setLame(this.#parts.settings.lameDuckMs, onOver)) this.#change(() => this.#mark(link));
  }

  /** What it does may change one thing after the other; the channel hears of the end of it. */
  #change(doIt: () => void): void {
    if (this.#isPaused) {
      doIt();
      return;
    }
    this.#isPaused = true;
    try {
      doIt();
    } finally {
      this.#isPaused = false;
    }
    this.#tellChannel();
  }

  /** The channel then asks again for every call that waits. */
  #tellChannel(): void {
    if (this.#isClosed) return;
    const isUsable = this.roster.snapshot(this.environment.monotonicMs()).backends.length > 0;
    const { helper } = this.#parts;
    this.#grpcPicker.recount();
    if (isUsable) helper.updateState(READY, this.#grpcPicker, null);
    else if (this.isHopeful) helper.updateState(CONNECTING, this.#grpcPicker, null);
    else helper.updateState(TRANSIENT_FAILURE, this.#grpcPicker, this.lastError ?? 'no backend is usable');
  }

  snapshot(): BalancerSnapshot {
    const { name: policy, settings } = this.#parts;
    const { waiting } = this.#grpcPicker;
    return snapshotOf({ service: settings.service, policy, known: this.#endpoints.size, waiting }, this);
  }

  get grpc(): Grpc {
    return this.#parts.grpc;
  }

  wake(): void {
    for (const link of this.#links.values()) link.wake();
  }

  close(): void {
    this.#isClosed = true;
    this.probes?.close();
    this.#grpcPicker.close();
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
  }
}
