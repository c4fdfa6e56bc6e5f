import { type IncomingHttpHeaders, request } from 'node:http';
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  parseGatewaySettings,
} from '../../../src/gateway/index.js';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** What an echo says. */
  readonly json: () => {
    readonly url: string;
    readonly headers: Record<string, string>;
    readonly name: string;
  };
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A gateway in this process, on a free port. */
export class RunningGateway {
  readonly gateway: Gateway;
  readonly port: number;
  readonly errors: readonly unknown[];

  private constructor(gateway: Gateway, port: number, errors: readonly unknown[]) {
    this.gateway = gateway;
    this.port = port;
    this.errors = errors;
  }

  static async start(settings: string, options: Partial<GatewayOptions> = {}): Promise<RunningGateway> {
    const errors: unknown[] = [];
    const parsed = parseGatewaySettings(`listen: 127.0.0.1:0\n${settings}`, 'test.yaml', {});
    const gateway = await createGateway(parsed, { onError: (error) => errors.push(error), ...options });
    const [at] = await gateway.listen();
    return new RunningGateway(gateway, at!.port, errors);
  }

  async reload(settings: string): Promise<void> {
    await this.gateway.reload(parseGatewaySettings(`listen: 127.0.0.1:0\n${settings}`, 'test.yaml', {}));
  }

  /** By `node:http`, which sends paths and hosts as they are. */
  ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const asked = request(
        { host: '127.0.0.1', port: this.port, path, method, headers, agent: false },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          answer.on('end', () =>
            resolve({
              status: answer.statusCode!,
              headers: answer.headers,
              text,
              json: () => JSON.parse(text),
            }),
          );
          answer.on('error', reject);
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  }

  async stop(): Promise<void> {
    await this.gateway.close({ timeoutMs: 1_000, spreadMs: 0 });
  }
}
