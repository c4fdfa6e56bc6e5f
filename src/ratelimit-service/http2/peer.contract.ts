import { Duplex } from 'node:stream';
import type { CallHandler } from './call-stream.js';
import { FLAGS, FRAMES, PREFACE } from './frames.js';
import { GrpcConnection } from './grpc-connection.js';

/** The other end of a connection, in memory. */
export class Peer extends Duplex {
  sent: Buffer = Buffer.alloc(0);

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.sent = Buffer.concat([this.sent, chunk]);
    done();
  }

  say(...chunks: Buffer[]): void {
    this.emit('data', Buffer.concat(chunks));
  }

  /** What has come since the last time. */
  frames(): { type: number; flags: number; stream: number; payload: Buffer }[] {
    const found = [];
    let at = 0;
    while (at < this.sent.length) {
      const end = at + 9 + this.sent.readUIntBE(at, 3);
      found.push({
        type: this.sent[at + 3]!,
        flags: this.sent[at + 4]!,
        stream: this.sent.readUInt32BE(at + 5),
        payload: this.sent.subarray(at + 9, end),
      });
      at = end;
    }
    this.sent = Buffer.alloc(0);
    return found;
  }

  types(): string[] {
    const names = Object.entries(FRAMES);
    return this.frames().map(({ type }) => names.find(([, number]) => number === type)![0]);
  }

  /** The error of the farewell, if there was one. */
  goaway(): number | undefined {
    return this.frames()
      .find(({ type }) => type === FRAMES.goaway)
      ?.payload.readUInt32BE(4);
  }
}

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const bytes = Buffer.alloc(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, 9);
  return bytes;
}

export function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
/** POST, /m, application/grpc. */
export const FIELDS = Buffer.concat([
  Buffer.from([0x83, 0x04]),
  text('/m'),
  Buffer.from([0x0f, 0x10]),
  text('application/grpc'),
]);
export const MESSAGE = Buffer.from([0, 0, 0, 0, 1, 7]);

export const head = (stream: number, flags: number = FLAGS.endHeaders) =>
  frame(FRAMES.headers, flags, stream, FIELDS);
export const body = (stream: number) => frame(FRAMES.data, FLAGS.endStream, stream, MESSAGE);
export const settings = (window: number) =>
  frame(FRAMES.settings, 0, 0, Buffer.concat([Buffer.from([0, 4]), number(window)]));

export function connected(handle: CallHandler = (_, message) => message) {
  const peer = new Peer();
  const connection = new GrpcConnection(peer, handle);
  peer.say(PREFACE, frame(FRAMES.settings, 0, 0));
  peer.frames();
  return { peer, connection };
}
