import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotPossible } from '../fault.js';
import { demand, demandRoot } from './commands.js';

/** Of the range that is set aside for measurements (RFC 2544): nobody's on any network. */
const SUBNET = '198.18.77';

/**
 * A network namespace that lives as long as a process of ours in it, and is gone with it: nothing of the machine's own
 * network is touched, and nothing is left behind however a run ends.
 */
class Namespace {
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  static async make(): Promise<Namespace> {
    // Ends when its standard input does: with this process at the latest.
    const holder = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const failed = once(holder, 'exit').then((): never => {
      throw new NotPossible('unshare --net is not allowed here');
    });
    failed.catch(() => {});
    await Promise.race([once(holder, 'spawn'), failed]).catch((error: Error) => {
      throw new NotPossible(`unshare cannot be run: ${error.message}`);
    });
    const made = new Namespace(holder);
    await Promise.race([made.#entered(), failed]);
    return made;
  }

  get pid(): number {
    return this.#holder.pid!;
  }

  /** The command that runs another one inside. */
  get place(): readonly [string, ...string[]] {
    return ['nsenter', `--target=${this.pid}`, '--net'];
  }

  run(...command: readonly string[]): void {
    const [enter, ...args] = this.place;
    demand(enter, ...args, ...command);
  }

  stop(): void {
    this.#holder.kill('SIGKILL');
  }

  async #entered(): Promise<void> {
    const own = readlinkSync('/proc/self/ns/net');
    for (let tries = 0; tries < 500; tries++) {
      if (readlinkSync(`/proc/${this.pid}/ns/net`) !== own) return;
      await sleep(10);
    }
    throw new NotPossible('no network namespace came of it');
  }
}

/** Two machines on a network of their own, between which packets can be made to vanish without a word. */
export class Network {
  readonly near: Namespace;
  readonly far: Namespace;
  readonly nearAddress = `${SUBNET}.1`;

  private constructor(near: Namespace, far: Namespace) {
    this.near = near;
    this.far = far;
  }

  /** `addresses` of the far one. */
  static async make(addresses: number): Promise<Network> {
    demandRoot('a network namespace');
    const near = await Namespace.make();
    const far = await Namespace.make().catch((error: unknown) => {
      near.stop();
      throw error;
    });
    const made = new Network(near, far);
    try {
      made.#connect(addresses);
    } catch (error) {
      made.stop();
      throw error;
    }
    return made;
  }

  /** The far machine's addresses, from 0 on. */
  farAddress(at = 0): string {
    return `${SUBNET}.${2 + at}`;
  }

  /** Nothing that comes for that address arrives, and nothing of it leaves: no reset, no word from a router. */
  cut(at = 0): void {
    this.#rules('--append', at);
  }

  heal(at = 0): void {
    this.#rules('--delete', at);
  }

  stop(): void {
    this.near.stop();
    this.far.stop();
  }

  #connect(addresses: number): void {
    this.near.run(
      'ip',
      'link',
      'add',
      'name',
      'near',
      'type',
      'veth',
      'peer',
      'name',
      'far',
      'netns',
      `${this.far.pid}`,
    );
    for (const [namespace, name] of [
      [this.near, 'near'],
      [this.far, 'far'],
    ] as const) {
      namespace.run('ip', 'link', 'set', 'lo', 'up');
      namespace.run('ip', 'link', 'set', name, 'up');
    }
    this.near.run('ip', 'address', 'add', `${this.nearAddress}/24`, 'dev', 'near');
    for (let at = 0; at < addresses; at++)
      this.far.run('ip', 'address', 'add', `${this.farAddress(at)}/24`, 'dev', 'far');
    // Tried at once, so that a machine that cannot says so before anything is measured.
    this.cut();
    this.heal();
  }

  #rules(how: '--append' | '--delete', at: number): void {
    this.far.run('iptables', how, 'INPUT', '--destination', this.farAddress(at), '--jump', 'DROP');
    this.far.run('iptables', how, 'OUTPUT', '--source', this.farAddress(at), '--jump', 'DROP');
  }
}
