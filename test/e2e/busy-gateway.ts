import { request } from 'undici';
import { type RunningServer, serve } from '../../src/server/index.js';
import { GatewayProcess } from '../integration/gateway/gateway-process.js';

export const TOKEN = 'a-token-for-the-page';

/** Every few milliseconds one: enough for lines on charts, little enough for a machine of two cores. */
const EVERY_MS = 12;
const CUSTOMERS = ['acme', 'beta', 'gamma'];
const CRITICALITIES = ['CRITICAL_PLUS', 'CRITICAL', 'SHEDDABLE_PLUS', 'SHEDDABLE'];

/** `plimsoll gateway` in front of three small backends, with customers who ask all the time, one of them too much. */
export class BusyGateway {
  readonly gateway: GatewayProcess;
  readonly #backends: readonly RunningServer[];
  readonly #timer: NodeJS.Timeout;
  #sent = 0;

  private constructor(gateway: GatewayProcess, backends: readonly RunningServer[]) {
    this.gateway = gateway;
    this.#backends = backends;
    this.#timer = setInterval(() => this.#ask(), EVERY_MS);
  }

  /** `token` undefined: an admin port without one. `more`: further lines of settings. */
  static async start(token: string | undefined, more = ''): Promise<BusyGateway> {
    const backends = await Promise.all([2, 4, 8].map((ms) => startBackend(ms)));
    const settings = settingsFor(
      backends.map(({ port }) => `http://127.0.0.1:${port}`),
      token,
      more,
    );
    return new BusyGateway(await GatewayProcess.start(settings), backends);
  }

  /** Of the page. */
  get url(): string {
    const [, admin] = /admin listens on http:\/\/(127\.0\.0\.1:\d+)/.exec(this.gateway.stderr) ?? [];
    return `http://${admin}/dashboard/`;
  }

  /** The fastest of the backends will soon be gone. */
  lameDuckOne(): void {
    this.#backends[0]!.guard.lameDuck();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.gateway.stop();
    await Promise.all(this.#backends.map((backend) => backend.close({ timeoutMs: 0 })));
  }

  #ask(): void {
    const customer = CUSTOMERS[this.#sent % CUSTOMERS.length]!;
    const criticality = CRITICALITIES[this.#sent % CRITICALITIES.length]!;
    this.#sent++;
    const headers = { 'x-customer': customer, 'x-request-criticality': criticality };
    request(this.gateway.url('/things'), { headers }).then(
      ({ body }) => body.dump(),
      () => {},
    );
  }
}

/** Guarded, so that it says how full it is; it waits, and so takes next to no CPU. */
function startBackend(ms: number): Promise<RunningServer> {
  return serve((_req, res) => setTimeout(() => res.end('{}'), ms), {
    host: '127.0.0.1',
    exitOnSignal: false,
  });
}

function settingsFor(backends: readonly string[], token: string | undefined, more: string): string {
  return `listen: 127.0.0.1:0
trustedCallers: [127.0.0.1/32]
identity:
  header: { name: x-customer, from: [127.0.0.1/32] }
services:
  shop:
    backends: [${backends.map((url) => JSON.stringify(url)).join(', ')}]
limits:
  per-customer: { key: customer, rate: 20/1s }
routes:
  - name: things
    to: shop
    limits: [per-customer]
admin: { address: "127.0.0.1:0"${token === undefined ? '' : `, token: ${token}`} }
log: { level: "off" }
${more}`;
}
