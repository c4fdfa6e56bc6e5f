import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

/** The fields of Envoy's messages by their numbers. */
const { root } = protobuf.parse(`syntax = "proto3";
message Entry { string key = 1; string value = 2; }
message Override { uint32 requests_per_unit = 1; int32 unit = 2; }
message UInt64Value { uint64 value = 1; }
message Descriptor { repeated Entry entries = 1; Override limit = 2; UInt64Value hits_addend = 3; bool is_negative_hits = 4; }
message Request { string domain = 1; repeated Descriptor descriptors = 2; uint32 hits_addend = 3; }
message Limit { uint32 requests_per_unit = 1; int32 unit = 2; string name = 3; }
message Duration { int64 seconds = 1; int32 nanos = 2; }
message Status { int32 code = 1; Limit current_limit = 2; uint32 limit_remaining = 3; Duration duration_until_reset = 4; }
message Header { string key = 1; string value = 2; }
message Response { int32 overall_code = 1; repeated Status statuses = 2; repeated Header response_headers_to_add = 3; }
message Health { string service = 1; }
message Healthy { int32 status = 1; }
`);

export interface Answer {
  readonly overallCode: number;
  readonly statuses: readonly {
    readonly code: number;
    readonly limitRemaining: number;
    readonly currentLimit?: {
      readonly requestsPerUnit: number;
      readonly unit: number;
      readonly name: string;
    };
  }[];
  readonly responseHeadersToAdd: readonly { readonly key: string; readonly value: string }[];
}

const SHOULD_RATE_LIMIT = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';

/** `OK`, `OVER`: what a call is told. */
export const WORDS = ['UNKNOWN', 'OK', 'OVER'] as const;

/** A client of grpc-js, as others have it. */
export class RlsClient {
  readonly #client: Client;

  constructor(port: number, channel = credentials.createInsecure()) {
    this.#client = new Client(`127.0.0.1:${port}`, channel, { 'grpc.enable_retries': 0 });
  }

  /** `ask('domain', ['a=1,b=2', 'c=3'])`. */
  ask(domain: string, descriptors: readonly (string | object)[], hitsAddend = 0): Promise<Answer> {
    return this.call('Request', 'Response', SHOULD_RATE_LIMIT, {
      domain,
      hitsAddend,
      descriptors: descriptors.map((given) =>
        typeof given === 'string' ? { entries: entriesOf(given) } : given,
      ),
    }) as Promise<Answer>;
  }

  /** The word for the whole, of as many calls one after the other. */
  async words(domain: string, descriptors: readonly string[], times: number): Promise<string> {
    const words: string[] = [];
    for (let i = 0; i < times; i++) words.push(WORDS[(await this.ask(domain, descriptors)).overallCode]!);
    return words.join(' ');
  }

  async health(service: string): Promise<number> {
    const answer = await this.call('Health', 'Healthy', '/grpc.health.v1.Health/Check', { service });
    return (answer as { status: number }).status;
  }

  call(from: string, to: string, path: string, request: object): Promise<object> {
    const [input, output] = [root.lookupType(from), root.lookupType(to)];
    return this.raw(path, Buffer.from(input.encode(request).finish())).then((bytes) =>
      output.toObject(output.decode(bytes), { defaults: true, longs: Number }),
    );
  }

  raw(path: string, bytes: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const same = (given: Buffer) => given;
      this.#client.makeUnaryRequest(path, same, same, bytes, (error: ServiceError | null, answer?: Buffer) =>
        error === null ? resolve(answer!) : reject(error),
      );
    });
  }

  close(): void {
    this.#client.close();
  }
}

export function entriesOf(text: string): { key: string; value: string }[] {
  return text.split(',').map((pair) => {
    const [key = '', value = ''] = pair.split('=');
    return { key, value };
  });
}
