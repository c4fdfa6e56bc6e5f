import { randomBytes } from 'node:crypto';
import { availableParallelism, cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { GatewaySettings } from '../../gateway/index.js';
import { roundsPerMs } from './backend/burn.js';
import { WORK_MS } from './backend/work.js';
import { choose, readValue } from './control/change.js';
import { type Choices, FIRST_CHOICES, NONE } from './control/choices.js';
import type { Control } from './control/control.js';
import { controlsOf } from './control/controls.js';
import type { DemoArgs } from './demo-args.js';
import { DemoFolder } from './demo-folder.js';
import { DemoGateway } from './demo-gateway.js';
import type { DemoPart } from './demo-part.js';
import { demoPaths } from './demo-paths.js';
import { gatewaySettingsOf, quotaNote } from './demo-settings.js';
import { BACKEND_NAMES, Fleet } from './fleet/fleet.js';
import { LoadSource } from './load/load-source.js';
import { loadReadingOf } from './load-reading.js';
import type { LoadFigures } from './messages.js';
import { leadingTo } from './open-in-browser.js';
import { ownCpuMs } from './own-cpu.js';
import { Peak } from './peak.js';
import type { ProcessorUse } from './processor-use.js';

/** With the start of all processes a page is seen whole within some five seconds. */
const MEASURE_MS = 2_500;
/** Less than this of what its processors should be able to do is a machine that does something else. */
const LEAST_SHARE = 0.3;
/** So many times what was measured is more than chance. */
const MISJUDGED = 1.15;
/**
 * Beyond what was just measured, more comes by and by: at five times the load all at once, code that has never run is
 * compiled while hundreds of connections are opened, and deadlines pass for reasons that have nothing to do with overload.
 */
const RAMP = { steps: 8, stepMs: 250 };
/** What a backend that was made slow takes, as a multiple of what it usually does. */
const SLOWDOWN = 4;
/** Processes that were killed need a processor to end by, and on a machine that is busy they wait for it. Nobody has to wait with them. */
const CLOSE_WITHIN_MS = 2_000;

export interface DemoOptions extends Pick<DemoArgs, 'load' | 'port' | 'redis'> {
  readonly note: (line: string) => void;
  /** Something that the demo cannot do without has ended. */
  readonly onBroken: (why: string) => void;
}

/** A fleet, a gateway and load, all of it on this machine. */
export class Demo {
  readonly token = randomBytes(18).toString('base64url');
  readonly #options: DemoOptions;
  readonly #fleet: Fleet;
  readonly #load: LoadSource;
  readonly #folder = new DemoFolder();
  #gateway: DemoGateway | undefined = undefined;
  #choices: Choices;
  #capacityPerSecond: number | undefined = undefined;
  #peak = new Peak(0);
  /** Of what is asked for beyond 1×, so much. */
  #rampShare = 0;
  #isClosed = false;
  /** Changes are made one after the other. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: DemoOptions) {
    this.#options = options;
    this.#choices = { ...FIRST_CHOICES, load: options.load };
    this.#fleet = new Fleet(roundsPerMs(), options.note);
    this.#load = new LoadSource(
      (figures) => this.#learn(figures),
      () => options.onBroken('the process that makes the load has ended'),
    );
  }

  /** Resolves when the page is there, and rejects with what is wrong in one line. */
  async open(): Promise<void> {
    await this.#folder.setCapacity(undefined);
    await this.#fleet.start();
    // Whoever ends it this early wants nothing of it.
    if (this.#isClosed) return await new Promise<never>(() => {});
    this.#gateway = await DemoGateway.open(this.#settings(), demoPaths(this), (error) =>
      this.#options.note(`the gateway says: ${error instanceof Error ? error.message : error}`),
    );
  }

  /** Resolves with the path of a file that leads to the page. */
  writeLead(): Promise<string> {
    return this.#folder.write('open.html', leadingTo(this.page));
  }

  get page(): string {
    return `http://127.0.0.1:${this.#gateway!.adminPort}/dashboard/#token=${this.token}`;
  }

  get origin(): string {
    return this.#gateway!.origin;
  }

  get capacityPerSecond(): number {
    return this.#capacityPerSecond ?? 0;
  }

  get peakPerSecond(): number {
    return this.#peak.perSecond;
  }

  utilizations(): [url: string, utilization: number][] {
    return this.#gateway!.utilizations();
  }

  /** Finds out what the fleet can serve, and begins to ask a multiple of that. */
  async begin(): Promise<void> {
    this.#load.start(this.origin);
    let perSecond = await this.#load.measure(MEASURE_MS);
    // A machine that was busy with something else is asked once more.
    if (perSecond < LEAST_SHARE * expectedPerSecond())
      perSecond = Math.max(perSecond, await this.#load.measure(MEASURE_MS));
    // One on which nothing is served at all still has a page that says so.
    this.#peak = new Peak(Math.max(1, perSecond));
    await this.#adopt(this.#peak.perSecond);
    for (let step = 1; step <= RAMP.steps && this.#choices.load > 1; step++) {
      await wait(RAMP.stepMs);
      this.#rampShare = step / RAMP.steps;
      this.#offer();
    }
    this.#rampShare = 1;
  }

  /** What the processors of this machine have done so far, and for whom. */
  processorUse(): ProcessorUse {
    const processors = cpus();
    return {
      atMs: performance.now(),
      processors: processors.length,
      idleMs: processors.reduce((sum, { times }) => sum + times.idle, 0),
      ownMs: ownCpuMs() + this.#load.cpuMs + this.#fleet.cpuMs,
    };
  }

  /**
   * A fleet that serves more for some seconds than was measured can serve more: the machine had other things to do when
   * it began, such as a browser that was opened.
   */
  #learn({ served, ms }: LoadFigures): void {
    if (this.#capacityPerSecond === undefined || ms <= 0) return;
    this.#peak.observe((served * 1_000) / ms);
    const { perSecond } = this.#peak;
    if (perSecond < MISJUDGED * this.#capacityPerSecond) return;
    this.#options.note(`the fleet can serve ${perSecond.toFixed(0)} requests a second after all`);
    this.#adopt(perSecond).catch(({ message }: Error) => this.#options.note(message));
  }

  /** Load, quotas and limits are shares of it. */
  async #adopt(capacityPerSecond: number): Promise<void> {
    this.#capacityPerSecond = capacityPerSecond;
    this.#offer();
    await this.#folder.setCapacity(capacityPerSecond);
    await this.#reload();
  }

  /** From now on all is counted, until somebody asks for the total. */
  count(): void {
    this.#load.count();
  }

  total(): Promise<LoadFigures> {
    return this.#load.total();
  }

  part(): DemoPart {
    const backends = this.#fleet.readings();
    const capacity = this.capacityPerSecond;
    return {
      controls: this.#controls(),
      load: loadReadingOf(this.#load.recent, capacity, this.#peak.perSecond),
      backends,
      quotaNote: capacity === 0 ? undefined : quotaNote(capacity),
    };
  }

  async set(name: string, text: string | undefined): Promise<Control | undefined> {
    const found = () => this.#controls().find((control) => control.name === name);
    const control = found();
    if (control === undefined) return undefined;
    const value = readValue(control, text);
    const changing = this.#changing.then(() => this.#change(control, value));
    this.#changing = changing.catch(() => {});
    await changing;
    return found();
  }

  /** Everything ends at once. Resolves when it has, or when it is sure to. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const ended = Promise.all([this.#load.close(), this.#fleet.close(), this.#gateway?.close()]);
    await Promise.race([ended, wait(CLOSE_WITHIN_MS)]);
    this.#folder.remove();
  }

  #controls(): Control[] {
    const down = this.#fleet.readings().filter(({ state }) => state === 'down');
    return controlsOf(this.#choices, {
      down: down.map(({ name }) => name),
      isRestarting: this.#fleet.isRestarting,
    });
  }

  async #change(control: Control, value: string | number | boolean): Promise<void> {
    const before = this.#choices;
    this.#choices = choose(before, control, value);
    switch (control.name) {
      case 'kill':
        this.#fleet.find(String(value))?.kill();
        return;
      case 'restart-all':
        this.#fleet.restartAll().catch(({ message }: Error) => this.#options.note(message));
        return;
      case 'slow':
        this.#fleet.slowDown(value === NONE ? undefined : String(value), SLOWDOWN);
        return;
      case 'lame-duck':
        this.#relieve(before.lameDuck);
        this.#fleet.find(String(value))?.lameDuck();
        return;
      case 'guard':
        return await this.#setGuard(value === true, before.isGuarded);
      case 'policy':
      case 'subset':
        return await this.#reload();
      default:
        this.#offer();
    }
  }

  async #setGuard(isOn: boolean, wasOn: boolean): Promise<void> {
    this.#fleet.isGuarded = isOn;
    this.#gateway!.isGuarded = isOn;
    // As somebody on call would do it: what stands in their sockets by then is hundreds of requests whose clients have left.
    if (isOn && !wasOn) this.#fleet.renew().catch(({ message }: Error) => this.#options.note(message));
    await this.#reload();
  }

  /** Who was a lame duck before has to go: a new process takes its place. */
  #relieve(name: string): void {
    const backend = this.#fleet.find(name);
    if (backend?.state !== 'lame-duck') return;
    backend.replace('SIGTERM').catch(({ message }: Error) => this.#options.note(message));
  }

  /** Not before it is known how much that is. */
  #offer(): void {
    if (this.#capacityPerSecond === undefined) return;
    const { load, costMix, criticalityMix, isMisbehaving } = this.#choices;
    const multiple = load > 1 ? 1 + this.#rampShare * (load - 1) : load;
    this.#load.offer({
      perSecond: multiple * this.#capacityPerSecond,
      costMix,
      criticalityMix,
      isMisbehaving,
    });
  }

  async #reload(): Promise<void> {
    await this.#gateway!.reload(this.#settings());
  }

  #settings(): GatewaySettings {
    const { policy, subset, isGuarded } = this.#choices;
    return gatewaySettingsOf({
      backends: this.#fleet.urls,
      policy,
      subset,
      isGuarded,
      capacityPerSecond: this.#capacityPerSecond,
      adminPort: this.#options.port,
      token: this.token,
      quotaFile: this.#folder.quotaFile,
      redis: this.#options.redis,
    });
  }
}

/** If nothing but the work itself took time. */
function expectedPerSecond(): number {
  return (Math.min(availableParallelism(), BACKEND_NAMES.length) * 1_000) / WORK_MS;
}
