import { type Cores, forkOn } from './cores.js';
import type { SaturateOptions, SaturateResult } from './load/closed-loop.js';
import type { FloodOptions } from './load/open-loop.js';
import type { FloodResult } from './load/summary.js';
import { Asked } from './questions.js';

/** The process that makes the load, seen from the bench. One for all measurements: its code is compiled by then. */
export class LoadGenerator {
  protected readonly asked: Asked;

  constructor({ load }: Cores, script = new URL('./load/main.js', import.meta.url)) {
    // A short pause for each of many collections rather than a long one for few: the schedule is to be kept.
    this.asked = new Asked(forkOn(load, script, ['--max-semi-space-size=16']), 'the load generator');
  }

  /** From now on what is near a stall of any of these cores is not calm. False where that cannot be known. */
  async watch({ server, load }: Cores): Promise<boolean> {
    if (server === undefined || load === undefined) return false;
    return await this.asked.ask<boolean>('watch', [server, load]);
  }

  /** Opens connections, and waits until each has been answered once. */
  open(port: number, connections: number): Promise<void> {
    return this.asked.ask('open', { port, connections });
  }

  flood(options: FloodOptions): Promise<FloodResult> {
    return this.asked.ask('flood', options);
  }

  saturate(options: SaturateOptions): Promise<SaturateResult> {
    return this.asked.ask('saturate', options);
  }

  close(): Promise<void> {
    return this.asked.ask('close');
  }

  stop(): Promise<void> {
    return this.asked.stop();
  }
}
