import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Line, Lines, LinesUser } from '../../overload/load/lines.js';

export type CallHeaders = Record<string, string>;

/** As many clients as share the calls. One connection alone would be read in larger pieces than many are. */
const SESSIONS = 8;

/** A message of no bytes: five of a frame. */
const MESSAGE = Buffer.alloc(5);

/** One call: a raw stream, since a client of grpc-js takes as long for a call as a server for three refusals. */
class CallLine implements Line<CallHeaders> {
  arrival = -1;
  stream: ClientHttp2Stream | undefined = undefined;
  sentMs = 0;
  isSettled = false;
  readonly #lines: CallLines;
  readonly #session: ClientHttp2Session;

  constructor(lines: CallLines, session: ClientHttp2Session) {
    this.#lines = lines;
    this.#session = session;
  }

  send(headers: CallHeaders, arrival: number): void {
    this.arrival = arrival;
    this.sentMs = performance.now();
    const stream = this.#session.request(headers);
    this.stream = stream;
    stream.on('response', (answer) => this.#onFields(answer['grpc-status']));
    stream.on('trailers', (trailers) => this.#onFields(trailers['grpc-status']));
    stream.on('error', () => {});
    stream.on('close', () => this.#onClose());
    stream.resume();
    stream.end(MESSAGE);
    this.#lines.onSent(this);
  }

  #onFields(status: string | string[] | undefined): void {
    if (status === undefined || this.isSettled) return;
    this.isSettled = true;
    this.#lines.user?.onAnswer(this, httpStatusOf(Number(status)));
  }

  #onClose(): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.#lines.user?.onLost(this.arrival);
  }
}

function open(port: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`, { maxSessionMemory: 1_000 });
  session.on('error', () => {});
  return session;
}

/** In the words that floods are counted in. */
function httpStatusOf(status: number): number {
  if (status === 0) return 200;
  return status === 14 || status === 8 ? 503 : 500;
}

/** Calls over some connections in turn. They are cancelled when their time is over, as clients of gRPC do it. */
export class CallLines implements Lines<CallHeaders> {
  user: LinesUser<CallHeaders> | undefined = undefined;
  readonly #sessions: ClientHttp2Session[];
  readonly #port: number;
  readonly #timeoutMs: number;
  #next = 0;
  /** In the order in which they were sent. */
  readonly #underWay: CallLine[] = [];
  #oldest = 0;

  private constructor(sessions: ClientHttp2Session[], port: number, timeoutMs: number) {
    this.#sessions = sessions;
    this.#port = port;
    this.#timeoutMs = timeoutMs;
  }

  static async open(port: number, timeoutMs: number): Promise<CallLines> {
    const opened = Array.from({ length: SESSIONS }, () => {
      const session = open(port);
      return new Promise<ClientHttp2Session>((resolve) =>
        session.once('remoteSettings', () => resolve(session)),
      );
    });
    return new CallLines(await Promise.all(opened), port, timeoutMs);
  }

  serve(user: LinesUser<CallHeaders>): void {
    this.user = user;
  }

  take(): CallLine {
    const at = this.#next++ % this.#sessions.length;
    // Whoever resets too many calls, since none is answered in time, is cut off by nghttp2, and comes again.
    if (this.#sessions[at]!.closed || this.#sessions[at]!.destroyed) this.#sessions[at] = open(this.#port);
    return new CallLine(this, this.#sessions[at]!);
  }

  /** Each call has a new one. */
  release(): void {}

  onSent(line: CallLine): void {
    this.#underWay.push(line);
    const overMs = line.sentMs - this.#timeoutMs;
    while (this.#underWay[this.#oldest]!.sentMs < overMs) this.#cancel(this.#underWay[this.#oldest++]!);
    if (this.#oldest < 10_000) return;
    this.#underWay.splice(0, this.#oldest);
    this.#oldest = 0;
  }

  close(): void {
    for (const session of this.#sessions) session.destroy();
  }

  #cancel({ stream, isSettled }: CallLine): void {
    if (!isSettled) stream?.close(constants.NGHTTP2_CANCEL);
  }
}
