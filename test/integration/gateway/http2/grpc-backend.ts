import {
  type GrpcObject,
  loadPackageDefinition,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceClientConstructor,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';

/** A service with a method of each kind. */
const PROTO = {
  nested: {
    echo: {
      nested: {
        Text: {
          fields: {
            text: { type: 'string', id: 1 },
            count: { type: 'int32', id: 2 },
            bytes: { type: 'bytes', id: 3 },
          },
        },
        Echo: {
          methods: {
            Unary: { requestType: 'Text', responseType: 'Text' },
            Down: { requestType: 'Text', responseType: 'Text', responseStream: true },
            Up: { requestType: 'Text', requestStream: true, responseType: 'Text' },
            Both: { requestType: 'Text', requestStream: true, responseType: 'Text', responseStream: true },
          },
        },
      },
    },
  },
};

export interface Text {
  text?: string;
  count?: number;
  bytes?: Buffer;
}

const loaded = loadPackageDefinition(
  fromJSON(PROTO as unknown as Parameters<typeof fromJSON>[0]),
) as GrpcObject;
export const Echo = (loaded['echo'] as GrpcObject)['Echo'] as ServiceClientConstructor;

type Unary = ServerUnaryCall<Text, Text>;

/** A gRPC server that answers by name, and remembers what came. */
export class GrpcBackend {
  readonly name: string;
  readonly #server = new Server();
  port = 0;
  calls = 0;
  cancelled = 0;
  last: { metadata: Metadata; deadlineMs: number } | undefined = undefined;
  /** Calls to `/slow` that wait. */
  waiting: (() => void)[] = [];

  private constructor(name: string) {
    this.name = name;
    this.#server.addService(Echo.service, {
      Unary: (call: Unary, callback: sendUnaryData<Text>) => this.#unary(call, callback),
      Down: (call: ServerWritableStream<Text, Text>) => this.#down(call),
      Up: (call: ServerReadableStream<Text, Text>, callback: sendUnaryData<Text>) => {
        let text = '';
        call.on('data', (chunk: Text) => {
          text += chunk.text;
        });
        call.on('end', () => callback(null, { text }));
      },
      Both: (call: ServerDuplexStream<Text, Text>) => {
        this.calls++;
        call.on('data', (chunk: Text) => call.write({ text: `${this.name}: ${chunk.text}` }));
        call.on('end', () => call.end());
        call.on('cancelled', () => this.cancelled++);
      },
    });
  }

  #unary(call: Unary, callback: sendUnaryData<Text>): void {
    const { text } = call.request;
    this.calls++;
    this.last = { metadata: call.metadata, deadlineMs: Number(call.getDeadline()) - Date.now() };
    call.on('cancelled', () => this.cancelled++);
    if (text === 'fail') {
      const metadata = new Metadata();
      metadata.set('why', 'because');
      metadata.set('detail-bin', Buffer.from([0, 1, 255]));
      callback({ code: status.FAILED_PRECONDITION, details: 'not now: ü', metadata });
    } else if (text === 'slow') this.waiting.push(() => callback(null, { text: this.name }));
    else {
      const head = new Metadata();
      head.set('by', this.name);
      call.sendMetadata(head);
      callback(null, { text: this.name, bytes: call.request.bytes ?? Buffer.alloc(0) });
    }
  }

  #down(call: ServerWritableStream<Text, Text>): void {
    const { count = 0 } = call.request;
    call.on('cancelled', () => this.cancelled++);
    for (let i = 0; i < count; i++) call.write({ count: i });
    if (call.request.text !== 'open') call.end();
  }

  static async start(name = 'one', port = 0): Promise<GrpcBackend> {
    const made = new GrpcBackend(name);
    await new Promise<void>((resolve, reject) =>
      made.#server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
        made.port = bound;
        if (error === null) resolve();
        else reject(error);
      }),
    );
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** GOAWAY, and the end of what runs. */
  drain(): Promise<void> {
    return new Promise((resolve) => this.#server.tryShutdown(() => resolve()));
  }

  /** At once. */
  kill(): void {
    this.#server.forceShutdown();
  }
}
