import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway, type Gateway, parseGatewaySettings } from '../../../../src/gateway/index.js';
import type { GuardOptions } from '../../../../src/server/index.js';
import { CERTIFICATE, KEY } from '../../client/certificate.js';
import { EchoBackend } from '../echo-backend.js';
import { Http2Client } from './http2-client.js';

export interface Staged {
  readonly gateway: Gateway;
  readonly port: number;
  readonly errors: unknown[];
}

/** Gateways that speak HTTP/2, backends and clients; all of them stopped together. */
export class Http2Stage {
  readonly #stops: (() => unknown)[] = [];

  owns<T>(thing: T, stop: (thing: T) => unknown): T {
    this.#stops.push(() => stop(thing));
    return thing;
  }

  async backend(name?: string): Promise<EchoBackend> {
    return this.owns(await EchoBackend.start(name), (backend) => backend.stop());
  }

  /** `rest`: settings without `listen`. */
  async gateway(rest: string, tls?: string, guard: Partial<GuardOptions> = {}): Promise<Staged> {
    const folder = this.owns(mkdtempSync(join(tmpdir(), 'plimsoll-h2-')), (made) =>
      rmSync(made, { recursive: true }),
    );
    writeFileSync(join(folder, 'cert.pem'), CERTIFICATE);
    writeFileSync(join(folder, 'key.pem'), KEY);
    const how = tls ?? 'http2: true';
    const text = `listen: { address: "127.0.0.1:0", ${how} }\n${rest}`;
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const settings = parseGatewaySettings(text, 'test.yaml', {});
    const gateway = await createGateway(settings, { directory: folder, onError, guard });
    const [at] = await gateway.listen();
    this.owns(gateway, (made) => made.close({ timeoutMs: 1_000, spreadMs: 0 }));
    return { gateway, port: at!.port, errors };
  }

  client(port: number, options: { readonly tls?: boolean } = {}): Http2Client {
    return this.owns(new Http2Client(port, options), (client) => client.close());
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }
}

export const TLS = 'tls: { cert: cert.pem, key: key.pem }';
