import {
  type AdminFurther,
  createGateway,
  type Gateway,
  type GatewaySettings,
  gatewayTarget,
  type OpenAdmin,
  openAdmin,
} from '../../gateway/index.js';

/** The gateway of the demo and its admin port, with what the demo adds to it. */
export class DemoGateway {
  /** Where requests go. */
  readonly origin: string;
  readonly adminPort: number;
  readonly #gateway: Gateway;
  readonly #admin: OpenAdmin;

  private constructor(gateway: Gateway, admin: OpenAdmin, origin: string) {
    this.#gateway = gateway;
    this.#admin = admin;
    this.origin = origin;
    this.adminPort = admin.at.port;
  }

  /** Rejects, with what is wrong in one line, when a port is taken. */
  static async open(
    settings: GatewaySettings,
    further: AdminFurther,
    onError: (error: unknown) => void,
  ): Promise<DemoGateway> {
    const gateway = await createGateway(settings, { onError });
    try {
      const target = gatewayTarget(gateway, {
        reload: () => Promise.reject(new RangeError('the demo has no file: use its controls')),
        end: () => process.kill(process.pid, 'SIGTERM'),
        onError,
      });
      const admin = await openAdmin({ ...target, further }, () => gateway.settings, onError);
      const [at] = await gateway.listen();
      return new DemoGateway(gateway, admin!, `http://${at!.address}`);
    } catch (error) {
      await gateway.close({ timeoutMs: 0, spreadMs: 0 });
      throw error;
    }
  }

  /** Balances and limits by these from now on. */
  async reload(settings: GatewaySettings): Promise<void> {
    await this.#gateway.reload(settings);
  }

  set isGuarded(isOn: boolean) {
    this.#gateway.guard.mode = isOn ? 'enforce' : 'off';
  }

  /** How full backends say they are, by their URL. */
  utilizations(): [url: string, utilization: number][] {
    const backends = Object.values(this.#gateway.snapshot().services).flatMap((service) => service.backends);
    return backends.flatMap(({ url, report }) => {
      const utilization = report?.applicationUtilization;
      return utilization === undefined ? [] : [[url, utilization] as [string, number]];
    });
  }

  /** Whoever is still served has bad luck. */
  async close(): Promise<void> {
    await this.#admin.close();
    await this.#gateway.close({ timeoutMs: 0, spreadMs: 0 });
  }
}
