import type { Cores } from '../overload/cores.js';
import type { FloodResult } from '../overload/load/summary.js';
import { LoadGenerator } from '../overload/load-generator.js';
import type { SlowService } from './load/slow-service.js';
import type { StreamFloodOptions } from './load/streams.js';

/** A process that sends several streams at once, and is a slow service besides. */
export class StreamLoad extends LoadGenerator {
  constructor(cores: Cores) {
    super(cores, new URL('./load/main.js', import.meta.url));
  }

  /** Where it listens, until the process is stopped. */
  serve(service: SlowService): Promise<number> {
    return this.asked.ask('serve', service);
  }

  override flood(options: StreamFloodOptions): Promise<FloodResult> {
    return super.flood(options);
  }
}
