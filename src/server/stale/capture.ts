import type { IncomingMessage, ServerResponse } from 'node:http';
import { onResponseClose } from '../intake/connection-close.js';
import { joined } from './answer-head.js';
import type { AnswerListener } from './answer-tap.js';
import type { CopyKeeper, CopyPlan } from './copy-keeper.js';

/** Makes a copy of one answer as it passes. Until its head is known it holds nothing, and afterwards only if it is kept. */
export class Capture implements AnswerListener {
  readonly #req: IncomingMessage;
  readonly #keeper: CopyKeeper;
  #plan: CopyPlan | undefined;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(req: IncomingMessage, keeper: CopyKeeper) {
    this.#req = req;
    this.#keeper = keeper;
  }

  onHead(res: ServerResponse, writeHeadArguments: readonly unknown[]): void {
    this.#plan = this.#keeper.plan(this.#req, res, writeHeadArguments);
  }

  onChunk(res: ServerResponse, chunk: string | Uint8Array, encoding: unknown): void {
    if (this.#plan === undefined) return;
    const textEncoding = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
    const bytes = typeof chunk === 'string' ? Buffer.byteLength(chunk, textEncoding) : chunk.byteLength;
    if (!this.#keeper.reserve(bytes, this.#bytes)) {
      this.#giveUp();
      return;
    }
    this.#bytes += bytes;
    this.#pieces.push(copyOf(chunk, bytes, textEncoding));
    // More is to come: if the client goes away before, nobody ends the answer.
    if (this.#pieces.length === 1 && !res.writableEnded) onResponseClose(res, () => this.#giveUp());
  }

  onEnd(res: ServerResponse): void {
    const plan = this.#plan;
    if (plan === undefined) return;
    const declared = joined(plan.head, 'content-length') ?? String(this.#bytes);
    // Ended because the client has gone, or because its source has dried up.
    if (res.destroyed || declared !== String(this.#bytes)) {
      this.#giveUp();
      return;
    }
    const body = assembled(this.#pieces, this.#bytes);
    this.#forget();
    this.#keeper.keep(plan, body, this.#req);
  }

  #giveUp(): void {
    if (this.#plan === undefined) return;
    this.#forget();
    this.#keeper.givenUp++;
  }

  #forget(): void {
    this.#keeper.release(this.#bytes);
    this.#plan = undefined;
    this.#pieces = [];
  }
}

/** In memory of its own: a slice of Node's pool would keep eight kilobytes alive for ten bytes. */
function copyOf(chunk: string | Uint8Array, bytes: number, encoding: BufferEncoding): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes);
  if (typeof chunk === 'string') copy.write(chunk, encoding);
  else copy.set(chunk);
  return copy;
}

function assembled(pieces: readonly Buffer[], bytes: number): Buffer {
  if (pieces.length === 1) return pieces[0]!;
  const body = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const piece of pieces) at += piece.copy(body, at);
  return body;
}
