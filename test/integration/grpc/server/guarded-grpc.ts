import * as grpc from '@grpc/grpc-js';
import { customSignal } from '../../../../src/core/index.js';
import { type GrpcGuardOptions, type GrpcHandler, guardGrpc } from '../../../../src/grpc/index.js';
import { createGuard, type Guard, type GuardOptions } from '../../../../src/server/index.js';
import { CERTIFICATE, KEY } from '../../client/certificate.js';
import { until } from '../../server/guarded-server.js';

const asIs = (bytes: Buffer): Buffer => bytes;

function method(name: string, requestStream: boolean, responseStream: boolean) {
  return {
    path: `/test.Echo/${name}`,
    requestStream,
    responseStream,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
}

export const ECHO = {
  unary: method('Unary', false, false),
  collect: method('Collect', true, false),
  repeat: method('Repeat', false, true),
  chat: method('Chat', true, true),
} satisfies grpc.ServiceDefinition;

export type UnaryCall = grpc.ServerUnaryCall<Buffer, Buffer>;
export type Answer = grpc.sendUnaryData<Buffer>;

/** What comes goes back, by each of the four ways. */
export const ECHOING = {
  unary: (call: UnaryCall, callback: Answer) => callback(null, call.request),
  collect: (call: grpc.ServerReadableStream<Buffer, Buffer>, callback: Answer) => {
    const parts: Buffer[] = [];
    call.on('data', (part: Buffer) => parts.push(part));
    call.on('end', () => callback(null, Buffer.concat(parts)));
  },
  repeat: (call: grpc.ServerWritableStream<Buffer, Buffer>) => {
    for (let i = 0; i < 3; i++) call.write(call.request);
    call.end();
  },
  chat: (call: grpc.ServerDuplexStream<Buffer, Buffer>) => {
    call.on('data', (part: Buffer) => call.write(part));
    call.on('end', () => call.end());
  },
};

export interface Outcome {
  readonly code: number;
  readonly details: string;
  readonly metadata: grpc.Metadata;
  readonly messages: string[];
}

export interface CallOptions {
  readonly metadata?: Record<string, string>;
  readonly timeoutMs?: number;
  readonly messages?: readonly string[];
}

/** How server and client know each other. */
export interface Secrets {
  readonly server: grpc.ServerCredentials;
  readonly client: grpc.ChannelCredentials;
}

const IN_THE_CLEAR: Secrets = {
  server: grpc.ServerCredentials.createInsecure(),
  client: grpc.credentials.createInsecure(),
};

/** By the certificate that all tests use, which signs itself; `isMutual`: clients show theirs, too. */
export function tlsSecrets(isMutual: boolean): Secrets {
  const cert = Buffer.from(CERTIFICATE);
  const key = Buffer.from(KEY);
  const pair = [{ cert_chain: cert, private_key: key }];
  return {
    server: grpc.ServerCredentials.createSsl(isMutual ? cert : null, pair, isMutual),
    client: isMutual ? grpc.credentials.createSsl(cert, key, cert) : grpc.credentials.createSsl(cert),
  };
}

/** A guarded server of grpc-js whose load is set by hand, and a client that is closed with it. */
export class GuardedGrpc {
  readonly guard: Guard;
  readonly server: grpc.Server;
  client!: grpc.Client;
  port = 0;
  #secrets: Secrets = IN_THE_CLEAR;
  /** 0: serves all; 2: refuses everything, whoever comes. */
  level = 0;
  readonly errors: unknown[] = [];

  private constructor(guard: Partial<GuardOptions>, options: Partial<GrpcGuardOptions>, isLate: boolean) {
    this.guard = createGuard({
      health: { udp: false },
      ...guard,
      signals: { custom: [customSignal('test', () => this.level)], ...guard.signals },
      onError: (error) => this.errors.push(error),
    });
    this.server = new grpc.Server();
    if (!isLate) guardGrpc(this.server, this.guard, options);
  }

  static async start({
    handlers = {},
    guard = {},
    grpc: options = {},
    isLate = false,
    secrets = IN_THE_CLEAR,
  }: {
    handlers?: Partial<Record<keyof typeof ECHOING, unknown>>;
    guard?: Partial<GuardOptions>;
    grpc?: Partial<GrpcGuardOptions>;
    /** Guarded after its services were added. */
    isLate?: boolean;
    secrets?: Secrets;
  } = {}): Promise<GuardedGrpc> {
    const made = new GuardedGrpc(guard, options, isLate);
    made.server.addService(ECHO, { ...ECHOING, ...handlers } as never);
    if (isLate) guardGrpc(made.server, made.guard, options);
    made.#secrets = secrets;
    made.port = await new Promise((resolve, reject) =>
      made.server.bindAsync('127.0.0.1:0', secrets.server, (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
    made.client = made.newClient();
    return made;
  }

  newClient(credentials = this.#secrets.client): grpc.Client {
    return new grpc.Client(`127.0.0.1:${this.port}`, credentials, {
      'grpc.use_local_subchannel_pool': 1,
      ...(credentials._isSecure() ? { 'grpc.ssl_target_name_override': 'orders.test' } : {}),
    });
  }

  /** Begins a call of any kind, as one that streams both ways. */
  open(name: keyof typeof ECHO | grpc.MethodDefinition<Buffer, Buffer>, options: CallOptions = {}) {
    const definition = typeof name === 'string' ? ECHO[name] : name;
    const metadata = new grpc.Metadata();
    for (const [key, value] of Object.entries(options.metadata ?? {})) metadata.set(key, value);
    const { timeoutMs } = options;
    return this.client.makeBidiStreamRequest(
      definition.path,
      definition.requestSerialize,
      definition.responseDeserialize,
      metadata,
      timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs },
    );
  }

  async call(
    name: keyof typeof ECHO | grpc.MethodDefinition<Buffer, Buffer>,
    options: CallOptions = {},
  ): Promise<Outcome> {
    const call = this.open(name, options);
    const outcome = outcomeOf(call);
    for (const message of options.messages ?? ['hi']) call.write(Buffer.from(message));
    call.end();
    return outcome;
  }

  until(holds: () => boolean): Promise<void> {
    return until(holds);
  }

  async stop(): Promise<void> {
    this.level = 0;
    await until(() => this.guard.snapshot().inFlight === 0);
    this.client.close();
    await this.guard.drain({ timeoutMs: 0 });
  }
}

export function outcomeOf(call: grpc.ClientDuplexStream<Buffer, Buffer>): Promise<Outcome> {
  const messages: string[] = [];
  call.on('data', (message: Buffer) => messages.push(message.toString()));
  call.on('error', () => {});
  return new Promise((resolve) =>
    call.on('status', ({ code, details, metadata }) => resolve({ code, details, metadata, messages })),
  );
}

export type { GrpcHandler };
