import { gatewayTarget, type OpenAdmin, openAdmin } from '../../../../src/gateway/index.js';
import { RunningGateway } from '../running-gateway.js';
import { type AdminAnswered, type AdminAsked, askAdmin } from './ask-admin.js';

/** A gateway in this process, with an admin port. */
export class RunningAdmin {
  readonly running: RunningGateway;
  readonly admin: OpenAdmin;
  readonly errors: unknown[];
  /** How often the process would have been ended. */
  readonly ends: () => number;

  private constructor(running: RunningGateway, admin: OpenAdmin, errors: unknown[], ends: () => number) {
    this.running = running;
    this.admin = admin;
    this.errors = errors;
    this.ends = ends;
  }

  static async start(settings: string, admin = 'admin: { address: "127.0.0.1:0" }'): Promise<RunningAdmin> {
    const running = await RunningGateway.start(`${settings}\n${admin}`);
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    let ends = 0;
    const { gateway } = running;
    const target = gatewayTarget(gateway, {
      reload: () => gateway.reload(gateway.settings),
      end: () => ends++,
      onError,
    });
    const opened = await openAdmin(target, () => gateway.settings, onError);
    return new RunningAdmin(running, opened!, errors, () => ends);
  }

  get port(): number {
    return this.admin.at.port;
  }

  ask(path: string, asked?: AdminAsked): Promise<AdminAnswered> {
    return askAdmin(this.port, path, asked);
  }

  async stop(): Promise<void> {
    await this.running.stop();
    await this.admin.close();
  }
}
