import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export const FRAME = {
  data: 0,
  headers: 1,
  rst: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
};
export const END_STREAM = 1;
export const END_HEADERS = 4;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export type Fields = readonly (readonly [string, string])[];

export const GET: Fields = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/'],
  [':authority', 'a.test'],
];

export const POST: Fields = [[':method', 'POST'], ...GET.slice(1)];

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Literals without a table, as they are: HPACK at its plainest, which says whatever it is given. */
export function block(fields: Fields): Buffer {
  const text = (value: string) => {
    const bytes = Buffer.from(value, 'latin1');
    if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
    const rest = bytes.length - 127;
    const low = (rest & 0x7f) | (rest > 0x7f ? 0x80 : 0);
    const lengths = rest > 0x7f ? [127, low, rest >> 7] : [127, low];
    return Buffer.concat([Buffer.from(lengths), bytes]);
  };
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

/** A client that says what it is told to, frame by frame. */
export class RawHttp2 {
  readonly socket: Socket;
  readonly frames: Frame[] = [];
  isClosed = false;
  #rest = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
    });
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  static async open(port: number): Promise<RawHttp2> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const made = new RawHttp2(socket);
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    made.send(FRAME.settings, 0, 0);
    return made;
  }

  send(type: number, flags: number, stream: number, payload?: Buffer): void {
    if (!this.socket.destroyed) this.socket.write(frame(type, flags, stream, payload));
  }

  headers(stream: number, fields: Fields, flags = END_HEADERS | END_STREAM): void {
    this.send(FRAME.headers, flags, stream, block(fields));
  }

  of(type: number, stream?: number): Frame[] {
    return this.frames.filter(
      (each) => each.type === type && (stream === undefined || each.stream === stream),
    );
  }

  /** How a stream was reset; undefined: it was not. */
  resetOf(stream: number): number | undefined {
    return this.of(FRAME.rst, stream)[0]?.payload.readUInt32BE(0);
  }

  /** Nothing more comes on it. */
  isOver(stream: number): boolean {
    return this.isClosed || this.goAway !== undefined || this.resetOf(stream) !== undefined;
  }

  /** The code of a GOAWAY that was no notice. */
  get goAway(): number | undefined {
    return this.of(FRAME.goaway).at(-1)?.payload.readUInt32BE(4);
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 9) {
      const length = this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < 9 + length) return;
      const payload = Buffer.from(this.#rest.subarray(9, 9 + length));
      const stream = this.#rest.readUInt32BE(5) & 0x7fffffff;
      this.frames.push({ type: this.#rest[3]!, flags: this.#rest[4]!, stream, payload });
      this.#rest = this.#rest.subarray(9 + length);
    }
  }
}
