import type { Socket } from 'node:net';

const USERS = 1_000;
const NOTHING = Buffer.alloc(0);
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const PATH = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';

/** Of HTTP/2: type, flags, stream, payload. */
function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, 9);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
}

/** Names by their place in the static table of RFC 7541, which keep their values for later. */
const keep = (index: number, value: string) => Buffer.concat([Buffer.from([0x40 + index]), text(value)]);
const keepNew = (name: string, value: string) =>
  Buffer.concat([Buffer.from([0x40]), text(name), text(value)]);

/** POST, http, path, authority, te, content-type, grpc-timeout: in full the first time, by place from then on. */
const FIRST_FIELDS = Buffer.concat([
  Buffer.from([0x83, 0x86]),
  keep(4, PATH),
  keep(1, '127.0.0.1'),
  keepNew('te', 'trailers'),
  keep(31, 'application/grpc'),
  keepNew('grpc-timeout', '20m'),
]);
const LATER_FIELDS = Buffer.from([0x83, 0x86, 0xc2, 0xc1, 0xc0, 0xbf, 0xbe]);

/** domain "bench", one descriptor with user = u… */
const MESSAGES = Array.from({ length: USERS }, (_, i) => {
  const entry = Buffer.concat([Buffer.from([0x0a]), text('user'), Buffer.from([0x12]), text(`u${i}`)]);
  const descriptor = Buffer.concat([Buffer.from([0x0a, entry.length]), entry]);
  const message = Buffer.concat([
    Buffer.from([0x0a]),
    text('bench'),
    Buffer.from([0x12, descriptor.length]),
    descriptor,
  ]);
  return Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
});

const [DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE] = [0, 1, 3, 4, 6, 7, 8];
const [END_STREAM, ACK, END_HEADERS] = [1, 1, 4];

/** Both frames of a call, of a stream to be filled in, by user. */
const CALLS = MESSAGES.map((message) =>
  Buffer.concat([frame(HEADERS, END_HEADERS, 0, LATER_FIELDS), frame(DATA, END_STREAM, 0, message)]),
);
const HEADERS_STREAM_AT = 5;
const DATA_STREAM_AT = 9 + LATER_FIELDS.length + 5;

const ALL_IS_WELL = Buffer.from('grpc-status\x010');

/** Many calls at a time on one connection, as proxies have it. */
export class GrpcCaller {
  answered = 0;
  readonly #socket: Socket;
  #rest: Buffer = NOTHING;
  #stream = -1;
  #next = Math.floor(Math.random() * USERS);

  constructor(socket: Socket, calls: number) {
    this.#socket = socket;
    socket.on('connect', () => {
      const settings = Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff]);
      const window = Buffer.from([0x7f, 0, 0, 0]);
      const all = [PREFACE, frame(SETTINGS, 0, 0, settings), frame(WINDOW_UPDATE, 0, 0, window)];
      for (let i = 0; i < calls; i++) this.#ask(all);
      socket.write(Buffer.concat(all));
    });
    socket.on('data', (bytes) => this.#onBytes(bytes));
    socket.on('error', () => {});
  }

  close(): void {
    this.#socket.destroy();
  }

  #ask(to: Buffer[]): void {
    this.#stream += 2;
    const user = this.#next++ % USERS;
    if (this.#stream === 1) {
      to.push(frame(HEADERS, END_HEADERS, 1, FIRST_FIELDS), frame(DATA, END_STREAM, 1, MESSAGES[user]!));
      return;
    }
    const call = Buffer.from(CALLS[user]!);
    call.writeUInt32BE(this.#stream, HEADERS_STREAM_AT);
    call.writeUInt32BE(this.#stream, DATA_STREAM_AT);
    to.push(call);
  }

  #onBytes(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const replies: Buffer[] = [];
    let at = 0;
    while (all.length - at >= 9) {
      const end = at + 9 + all.readUIntBE(at, 3);
      if (end > all.length) break;
      this.#onFrame(all[at + 3]!, all[at + 4]!, all, at + 9, end, replies);
      at = end;
    }
    this.#rest = at === all.length ? NOTHING : all.subarray(at);
    if (replies.length > 0) this.#socket.write(replies.length === 1 ? replies[0]! : Buffer.concat(replies));
  }

  #onFrame(type: number, flags: number, all: Buffer, from: number, end: number, replies: Buffer[]): void {
    // Trailers say that all is well, or the answer has no message before them.
    if (type === HEADERS && (flags & END_STREAM) !== 0) {
      const tail = end - ALL_IS_WELL.length;
      if (tail < from || all.compare(ALL_IS_WELL, 0, ALL_IS_WELL.length, tail, end) !== 0)
        throw new Error(`a call failed: ${all.subarray(from, end)}`);
      this.answered++;
      this.#ask(replies);
    } else if (type === SETTINGS && (flags & ACK) === 0) replies.push(frame(SETTINGS, ACK, 0, NOTHING));
    else if (type === PING && (flags & ACK) === 0) replies.push(frame(PING, ACK, 0, all.subarray(from, end)));
    else if (type === RST_STREAM || type === GOAWAY)
      throw new Error(`the service gave up: ${all.toString('hex', from, end)}`);
  }
}
