import { createLeaseLedger } from './create-lease-ledger.js';
import type { LeaseAsk, LeaseLedger, LeaseState } from './lease-ledger.js';
import { TokenBlock } from './token-block.js';

export const WINDOW_MS = 250;

/** A waiting process gives up then. */
const TIMEOUT_MS = 50;

export interface FleetSetting {
  readonly algorithm: 'token-bucket' | 'gcra' | 'fixed-window';
  readonly limit: number;
  readonly burst: number;
  /** What each process would like to let pass in a millisecond, and by how much that changes each 20 ms. */
  readonly loads: readonly number[];
  readonly phases: readonly number[];
  /** Messages are late, overtake each other, or are lost. */
  readonly lossPart: number;
  readonly mostDelayMs: number;
  readonly seed: number;
}

export interface Use {
  readonly ms: number;
  readonly cost: number;
}

/** Processes that lease from one ledger over a bad network, one step a millisecond. */
export class LeaseFleet {
  readonly uses: Use[] = [];
  wanted = 0;
  readonly #setting: FleetSetting;
  readonly #ledger: LeaseLedger;
  readonly #blocks: TokenBlock[];
  #turn = 0;
  #state: LeaseState | undefined = undefined;
  #messages: { readonly atMs: number; readonly deliver: () => void }[] = [];
  #now = 0;
  #random: number;

  constructor(setting: FleetSetting) {
    const { algorithm, limit, burst, loads, seed } = setting;
    this.#setting = setting;
    this.#random = seed;
    this.#blocks = loads.map(() => this.#newBlock());
    this.#ledger = createLeaseLedger({
      algorithm,
      limit,
      windowMs: WINDOW_MS,
      burst: algorithm === 'fixed-window' ? limit : burst,
    });
  }

  run(ms: number): void {
    for (; this.#now < ms; this.#now++) {
      const due = this.#messages.filter(({ atMs }) => atMs <= this.#now);
      this.#messages = this.#messages.filter(({ atMs }) => atMs > this.#now);
      for (const { deliver } of due) deliver();
      for (const [i, block] of this.#blocks.entries()) this.#work(i, block);
    }
  }

  #work(i: number, block: TokenBlock): void {
    const { loads, phases } = this.#setting;
    const load = loads[i]! * phases[Math.floor(this.#now / 20 + 7 * i) % phases.length]!;
    const count = Math.floor(load) + (this.#chance() < load % 1 ? 1 : 0);
    let isWaiting = false;
    for (let each = 0; each < count; each++) isWaiting = this.#takeOne(block) || isWaiting;
    const holder = `p${i}`;
    if (!block.isAsking && (isWaiting || block.isLow(this.#now)))
      this.#ask(block, block.ask(holder, this.#now, isWaiting ? 1 : 0));
    if (!block.isIdle(this.#now)) return;
    const ask = block.surrender(holder, this.#now);
    if (ask !== undefined) this.#send(() => this.#grant(ask));
    // It is forgotten, and begins anew when somebody comes.
    this.#blocks[i] = this.#newBlock();
  }

  #newBlock(): TokenBlock {
    return new TokenBlock(() => ++this.#turn);
  }

  /** Whether somebody would have to be asked. */
  #takeOne(block: TokenBlock): boolean {
    const cost = this.#chance() < 0.1 ? 2 : 1;
    this.wanted += cost;
    const answer = block.take(this.#now, cost);
    if (answer === 'allowed') this.uses.push({ ms: this.#now, cost });
    return answer === 'unknown';
  }

  #ask(block: TokenBlock, ask: LeaseAsk): void {
    const askedMs = this.#now;
    let isOver = false;
    this.#send(() => {
      const grant = this.#grant(ask);
      this.#send(() => {
        if (isOver) return;
        isOver = true;
        block.granted(askedMs, grant);
      });
    });
    const giveUp = (): void => {
      if (!isOver) block.failed();
      isOver = true;
    };
    this.#messages.push({ atMs: askedMs + TIMEOUT_MS, deliver: giveUp });
  }

  #grant(ask: LeaseAsk): ReturnType<LeaseLedger['grant']>['grant'] {
    const { grant, state } = this.#ledger.grant(this.#state, this.#now, ask);
    this.#state = state;
    return grant;
  }

  #send(deliver: () => void): void {
    if (this.#chance() < this.#setting.lossPart) return;
    const delayMs = Math.floor(this.#chance() * this.#setting.mostDelayMs);
    this.#messages.push({ atMs: this.#now + delayMs, deliver });
  }

  #chance(): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#random / 2 ** 32;
  }
}
