import { GatewayProcess } from '../integration/gateway/gateway-process.js';

export const TOKEN = 'a-token-for-the-page';

/** `plimsoll gateway` that nobody asks anything: for what the page does by itself. */
export class IdleGateway {
  readonly #gateway: GatewayProcess;

  private constructor(gateway: GatewayProcess) {
    this.#gateway = gateway;
  }

  static async start(): Promise<IdleGateway> {
    return new IdleGateway(
      await GatewayProcess.start(`listen: 127.0.0.1:0
services:
  shop: { backends: ["http://127.0.0.1:9"] }
routes:
  - { name: things, to: shop }
admin: { address: "127.0.0.1:0", token: ${TOKEN} }
log: { level: "off" }
`),
    );
  }

  /** Of the page. */
  get url(): string {
    const [, admin] = /admin listens on http:\/\/(127\.0\.0\.1:\d+)/.exec(this.#gateway.stderr) ?? [];
    return `http://${admin}/dashboard/`;
  }

  stop(): Promise<void> {
    return this.#gateway.stop();
  }
}
