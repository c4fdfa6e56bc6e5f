import type { Client, ClientOptions } from '../../../src/client/index.js';
import { type RawAnswerer, RawBackend } from '../gateway/forwarding/raw-backend.js';
import { Fleet } from './fleet.js';

/** What a client does by itself is out of the way: what is seen is what a connection did. */
const PLAIN: Partial<ClientOptions> = { health: false, policy: 'round-robin', throttle: false, retry: false };

/** Backends by hand, and clients of one backend each that try once. */
export class RawFleet extends Fleet {
  async answering(
    answer: RawAnswerer,
    options: Partial<ClientOptions> = {},
  ): Promise<{ backend: RawBackend; client: Client }> {
    const backend = await RawBackend.start(answer);
    this.owns(() => backend.stop());
    const url = `http://127.0.0.1:${backend.port}`;
    return { backend, client: this.client({ ...PLAIN, ...options, backends: [url] }) };
  }
}

/** An answer of a known length. */
export function answerOf(body: string, ...fields: readonly string[]): string {
  const lines = ['HTTP/1.1 200 OK', `content-length: ${body.length}`, ...fields];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** What was asked for. */
export function pathOf(request: string): string {
  return request.split(' ')[1]!;
}

export async function textOf(client: Client, path: string): Promise<string> {
  return (await client.request(path)).body.text();
}
