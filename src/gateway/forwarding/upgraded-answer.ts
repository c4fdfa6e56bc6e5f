import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RawHeaders } from '../../client/dispatch/raw-headers.js';
import { AnswerHead } from './answer-head.js';
import type { ForwardTarget } from './forward-target.js';
import { ForwardedAnswer } from './forwarded-answer.js';
import type { HeaderEdits } from './header-edits.js';
import { PROBLEMS } from './problem.js';
import { splice } from './splice.js';

/** The answer to a request for another protocol: an ordinary one, or two connections that are one from then on. */
export class UpgradedAnswer extends ForwardedAnswer {
  readonly #res: ServerResponse;
  readonly #edits: HeaderEdits | undefined;
  readonly #protocol: string;

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    edits: HeaderEdits | undefined,
    protocol: string,
    sender?: ForwardTarget['sender'],
  ) {
    super(req, res, edits, undefined, sender);
    this.#res = res;
    this.#edits = edits;
    this.#protocol = protocol;
  }

  onUpgrade(_status: number, raw: RawHeaders | null, backend: Duplex): void {
    backend.on('error', () => {});
    const head = new AnswerHead();
    const fault = head.read(raw ?? [], this.#edits);
    if (this.isOver || fault !== undefined || !this.#isAgreed(raw ?? [])) {
      backend.destroy();
      if (!this.isOver) this.answer(PROBLEMS['bad-gateway']);
      return;
    }
    const socket = this.#res.socket!;
    this.leave();
    let text = `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${this.#protocol}\r\n`;
    const { headers } = head;
    for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
    this.#res.detachSocket(socket as Socket);
    socket.write(`${text}\r\n`, 'latin1');
    splice(socket, backend);
  }

  /** The backend goes on with what was asked for, and with nothing else. */
  #isAgreed(raw: RawHeaders): boolean {
    const named: string[] = [];
    for (let i = 0; i + 1 < raw.length; i += 2)
      if (String(raw[i]).toLowerCase() === 'upgrade') named.push(String(raw[i + 1]).toLowerCase());
    return named.length === 1 && named[0] === this.#protocol.toLowerCase();
  }
}
