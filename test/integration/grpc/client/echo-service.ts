import * as grpc from '@grpc/grpc-js';
import { until as untilNamed } from '../../client/until.js';

export interface Message {
  readonly text: string;
}

const toBytes = (message: Message): Buffer => Buffer.from(JSON.stringify(message));
const fromBytes = (bytes: Buffer): Message => JSON.parse(bytes.toString()) as Message;

function method(name: string, requestStream: boolean, responseStream: boolean) {
  return {
    path: `/test.Echo/${name}`,
    requestStream,
    responseStream,
    requestSerialize: toBytes,
    requestDeserialize: fromBytes,
    responseSerialize: toBytes,
    responseDeserialize: fromBytes,
  };
}

export const ECHO = {
  say: method('Say', false, false),
  list: method('List', false, true),
  collect: method('Collect', true, false),
} as const satisfies grpc.ServiceDefinition;

export const EchoClient = grpc.makeGenericClientConstructor(ECHO, 'Echo');

/** What a test makes of one unary call. */
export type Say = (call: grpc.ServerUnaryCall<Message, Message>, done: grpc.sendUnaryData<Message>) => void;

export interface EchoHandlers {
  readonly say?: Say;
  readonly list?: (call: grpc.ServerWritableStream<Message, Message>) => void;
  readonly collect?: (
    call: grpc.ServerReadableStream<Message, Message>,
    done: grpc.sendUnaryData<Message>,
  ) => void;
}

/** A real server of grpc-js on a free port. */
export class EchoServer {
  readonly server: grpc.Server;
  port = 0;
  /** Unary calls that reached the handler. */
  calls = 0;
  /** Their metadata, the newest last. */
  readonly seen: grpc.Metadata[] = [];
  /** What the newest had left. */
  timeoutMs = Number.POSITIVE_INFINITY;
  handlers: EchoHandlers;

  /** `prepare` sees the server before it has a service. */
  constructor(handlers: EchoHandlers = {}, prepare: (server: grpc.Server) => unknown = () => {}) {
    this.handlers = handlers;
    this.server = new grpc.Server();
    prepare(this.server);
    this.server.addService(ECHO, {
      say: (call: grpc.ServerUnaryCall<Message, Message>, done: grpc.sendUnaryData<Message>) => {
        this.calls++;
        this.seen.push(call.metadata);
        this.timeoutMs = Number(call.getDeadline()) - Date.now();
        (this.handlers.say ?? ((_, end) => end(null, { text: call.request.text })))(call, done);
      },
      list: (call: grpc.ServerWritableStream<Message, Message>) => {
        this.calls++;
        (this.handlers.list ?? ((stream) => stream.end()))(call);
      },
      collect: (call: grpc.ServerReadableStream<Message, Message>, done: grpc.sendUnaryData<Message>) => {
        this.calls++;
        (this.handlers.collect ?? ((_, end) => end(null, { text: '' })))(call, done);
      },
    });
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async start(port = 0, credentials = grpc.ServerCredentials.createInsecure()): Promise<this> {
    this.port = await new Promise<number>((resolve, reject) => {
      this.server.bindAsync(`127.0.0.1:${port}`, credentials, (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    return this;
  }

  stop(): void {
    this.server.forceShutdown();
  }

  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.server.tryShutdown(() => resolve());
    });
  }
}

export async function startServers(count: number, handlers: EchoHandlers = {}): Promise<EchoServer[]> {
  return Promise.all(Array.from({ length: count }, () => new EchoServer(handlers).start()));
}

/** A client of these servers, by a target that names them all. */
export function clientOf(
  servers: readonly { readonly address: string }[],
  options: grpc.ClientOptions = {},
  credentials = grpc.credentials.createInsecure(),
) {
  const target = `ipv4:${servers.map(({ address }) => address).join(',')}`;
  return new EchoClient(target, credentials, {
    // Channels with the same options share connections: each test has its own.
    'grpc.use_local_subchannel_pool': 1,
    ...options,
  });
}

export interface Ended {
  readonly error: (grpc.ServiceError & { cause?: unknown }) | null;
  readonly reply: Message | undefined;
}

type UnaryMethod = (
  request: Message,
  metadata: grpc.Metadata,
  options: grpc.CallOptions,
  callback: (error: grpc.ServiceError | null, reply?: Message) => void,
) => grpc.ClientUnaryCall;

/** One unary call; it never throws. */
export function say(
  client: InstanceType<typeof EchoClient>,
  text = 'hello',
  options: grpc.CallOptions = {},
  metadata = new grpc.Metadata(),
  onCall: (call: grpc.ClientUnaryCall) => void = () => {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const send = client['say'] as UnaryMethod;
    onCall(send.call(client, { text }, metadata, options, (error, reply) => resolve({ error, reply })));
  });
}

export async function sayMany(
  client: InstanceType<typeof EchoClient>,
  count: number,
  atOnce = 20,
  options: () => grpc.CallOptions = () => ({}),
): Promise<Ended[]> {
  const ends: Ended[] = [];
  let left = count;
  const worker = async () => {
    while (left-- > 0) ends.push(await say(client, 'hello', options()));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return ends;
}

/** Waits for something to become so. */
export function until(isSo: () => boolean): Promise<void> {
  return untilNamed(isSo.toString(), isSo);
}

/** Trailers as a guard sends them. */
export function trailers(fields: Readonly<Record<string, string | Buffer>>): grpc.Metadata {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
  return metadata;
}

export function failWith(code: grpc.status, fields: Readonly<Record<string, string>> = {}): Say {
  return (_, done) => done({ code, details: 'by the test', metadata: trailers(fields) });
}
