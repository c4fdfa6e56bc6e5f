import { type Cores, forkOn } from './cores.js';
import { Asked } from './questions.js';
import type { HandlerName } from './servers/handlers.js';
import type { Usage } from './servers/main.js';

/** A server under test, in a process of its own. */
export class ServerProcess {
  private constructor(
    readonly port: number,
    readonly asked: Asked,
  ) {}

  static async start(
    cores: Cores,
    server: string,
    handler: HandlerName,
    script = new URL('./servers/main.js', import.meta.url),
  ): Promise<ServerProcess> {
    const asked = new Asked(forkOn(cores.server, script), server);
    return new ServerProcess(await asked.ask<number>('listen', { server, handler }), asked);
  }

  usage(): Promise<Usage> {
    return this.asked.ask('usage');
  }

  stop(): Promise<void> {
    return this.asked.stop();
  }
}
