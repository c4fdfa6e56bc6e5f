import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RawHeaders } from '../../client/dispatch/raw-headers.js';
import { atTurnEnd, type TurnEndJob } from '../../client/http1/turn-end.js';
import { RejectedError } from '../../core/index.js';
import { onConnectionClose } from '../../server/intake/connection-close.js';
import { requestOf } from '../../server/intake/guarded-response.js';
import { AnswerHead } from './answer-head.js';
import { addTrailers, endAnswer, isBodiless, writeAnswerHead } from './answer-writer.js';
import { cutOff } from './cut-off.js';
import type { ForwardTarget } from './forward-target.js';
import type { HeaderEdits } from './header-edits.js';
import { discardRest } from './lingering.js';
import { BadAnswerError, type Problem, problemOf } from './problem.js';
import { putRequestId } from './request-id.js';

/** Hints on the way to an answer are not passed on; whoever sends this many of them has no answer. */
const MOST_HINTS = 32;

const ANSWER = Symbol('plimsoll.answer');

type Answered = ServerResponse & { [ANSWER]?: ForwardedAnswer };

/** `waiting` for the backend; `held`: its head is there, and perhaps a first piece; `sending`; `over`. */
type State = 'waiting' | 'held' | 'sending' | 'over';

/**
 * Takes the answer of a backend as undici tells it, and passes it on. Head, first piece and end leave in one write when
 * they come in one read; what comes in several waits for nothing but the end of the turn.
 */
export class ForwardedAnswer implements TurnEndJob {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #edits: HeaderEdits | undefined;
  readonly #own: readonly string[] | undefined;
  #sender: ForwardTarget['sender'];
  #state: State = 'waiting';
  #abort: ((reason?: Error) => void) | undefined = undefined;
  #resume: (() => void) | undefined = undefined;
  #head: AnswerHead | undefined = undefined;
  #status = 0;
  #reason = '';
  #first: Buffer | undefined = undefined;
  #hints = 0;
  #isWaitingForClient = false;
  /**
   * Whether there is anything to read of its request. Node calls a request complete only after it was told of its head: one
   * that is refused at once would cost its connection, and with it whatever a crowd of clients has to open anew.
   */
  hasBody = true;

  /** `own`: headers of ours for whatever answer comes, a flat list. */
  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    edits: HeaderEdits | undefined,
    own?: readonly string[],
    sender?: ForwardTarget['sender'],
  ) {
    this.#own = own;
    this.#sender = sender;
    this.#req = req;
    this.#res = res;
    this.#edits = edits;
    (res as Answered)[ANSWER] = this;
    res.on('close', onResponseClose);
    if (res.socket === null) this.#followConnection();
  }

  /** Behind others on its connection a response hears of nothing, and its backend would wait for ever to go on. */
  #followConnection(): void {
    const unfollow = onConnectionClose(this.#req.socket, () => this.onClientGone());
    this.#res.once('close', unfollow);
  }

  /** Whose answer it is. */
  get request(): IncomingMessage {
    return this.#req;
  }

  /** Headers need not be made into bytes first. */
  get takesText(): true {
    return true;
  }

  /** A client is told what happened, not where. */
  get readsCodeOnly(): true {
    return true;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    if (this.isOver) abort();
  }

  onHeaders(status: number, raw: RawHeaders, resume: () => void, reason: string): boolean {
    if (this.isOver || this.#isTaken()) return true;
    if (status < 200) return this.#onHint(status);
    const head = new AnswerHead();
    const fault = head.read(raw, this.#edits);
    if (fault !== undefined) return this.#refuse(`the answer has ${fault}`);
    putRequestId(this.#req, head.headers, this.#edits);
    this.#head = head;
    this.#status = status;
    this.#reason = reason;
    this.#resume = resume;
    this.#state = 'held';
    if (isBodiless(status) && (head.contentLength ?? 0) > 0) this.#endWithout();
    else atTurnEnd(this);
    return true;
  }

  /** It says how long a body is that it does not have, and whoever reads it waits for that. */
  #endWithout(): void {
    this.onComplete([]);
    this.#abort?.(new BadAnswerError('the answer has the length of another'));
  }

  /** Not passed on: clients need not understand them, and some take them for the answer. */
  #onHint(status: number): boolean {
    this.#hints++;
    if (status === 101 || this.#hints > MOST_HINTS) return this.#refuse('the answer never comes');
    return true;
  }

  /** What undici then says of it is an error like any other. */
  #refuse(message: string): boolean {
    this.#abort?.(new BadAnswerError(message));
    return true;
  }

  onData(chunk: Buffer): boolean {
    switch (this.#state) {
      case 'held':
        if (this.#first === undefined) {
          this.#first = chunk;
          return true;
        }
        this.onTurnEnd();
        return this.#write(chunk);
      case 'sending':
        return this.#write(chunk);
      default:
        return true;
    }
  }

  #write(chunk: Buffer): boolean {
    const res = this.#res;
    // Ended by somebody else: to write on would be an error.
    if (res.writableEnded) {
      this.onClientGone();
      return true;
    }
    if (res.write(chunk)) return true;
    if (!this.#isWaitingForClient) {
      this.#isWaitingForClient = true;
      res.once('drain', () => {
        this.#isWaitingForClient = false;
        this.#resume?.();
      });
    }
    return false;
  }

  /** The turn is over, or more has come than can be held: what there is goes out. */
  onTurnEnd(): void {
    if (this.#state !== 'held' || this.#isTaken()) return;
    this.#state = 'sending';
    try {
      this.#writeHead(this.#head!.contentLength);
      const first = this.#first;
      this.#first = undefined;
      if (first !== undefined) this.#write(first);
      else this.#res.flushHeaders();
    } catch {
      // Nobody is there to hear of it but the client.
      this.onClientGone();
      this.#cut();
    }
  }

  /** Somebody else has answered meanwhile: a guard, a body that was too long. The backend need not go on. */
  #isTaken(): boolean {
    if (!this.#res.headersSent) return false;
    this.onClientGone();
    return true;
  }

  #writeHead(length: number | undefined): void {
    const { headers, hasDate } = this.#head!;
    writeAnswerHead(this.#res, this.#status, this.#reason, headers, length, hasDate, this.#own);
  }

  onComplete(raw: RawHeaders): void {
    const res = this.#res;
    if (this.#state === 'held') {
      if (this.#isTaken()) return;
      this.#endHeld(raw);
    } else if (this.#state === 'sending') {
      this.leave();
      if (raw.length > 0) addTrailers(res, raw);
      res.end();
    } else return;
    this.#leaveRequest();
  }

  #endHeld(raw: RawHeaders): void {
    const res = this.#res;
    const first = this.#first;
    const { contentLength } = this.#head!;
    this.leave();
    this.#first = undefined;
    const hasBody = this.#req.method !== 'HEAD' && !isBodiless(this.#status);
    // All of it is here: its length is known, also when the backend did not say it. Trailers need chunks.
    const length = contentLength ?? (hasBody && raw.length === 0 ? (first?.length ?? 0) : undefined);
    this.#writeHead(length);
    if (raw.length > 0) addTrailers(res, raw);
    endAnswer(res, hasBody ? first : undefined);
  }

  get #isUnread(): boolean {
    return this.hasBody && !this.#req.complete;
  }

  /** Answered, perhaps before all of the request was read. */
  #leaveRequest(): void {
    if (this.#isUnread) discardRest(this.#req, this.#res);
  }

  onError(error: Error): void {
    const state = this.#state;
    this.#first = undefined;
    if (error instanceof RejectedError) this.#sender?.onRejected(error);
    if (state === 'waiting' || state === 'held') {
      const problem = problemOf(error, requestOf(this.#res)?.connection.isTrusted);
      if (!this.#isAnsweredInstead(problem)) this.answer(problem);
    } else if (state === 'sending') {
      this.leave();
      // Where there is a way to say it.
      (this.#res as { isLate?: boolean }).isLate = (error as { code?: unknown }).code === 'PLIMSOLL_DEADLINE';
      this.#cut();
    }
  }

  /** An answer that was cut must not look complete: one whose end is the end of the connection would. */
  #cut(): void {
    const { socket } = this.#res;
    if (socket !== null && !this.#res.chunkedEncoding) cutOff(socket);
    this.#res.destroy();
  }

  /** A service that has no answer is no reason for an error where there is something better. */
  #isAnsweredInstead({ status }: Problem): boolean {
    const { headersSent, destroyed } = this.#res;
    if (status < 502 || status > 504 || headersSent || destroyed) return false;
    if (this.#sender?.answersInstead() !== true) return false;
    this.leave();
    this.#leaveRequest();
    return true;
  }

  /** One of our own. */
  answer({ status, headers, body }: Problem): void {
    const res = this.#res;
    this.leave();
    if (res.destroyed || res.headersSent) return;
    const isCut = this.#isUnread;
    // What is left of the body is not read for long: whoever sends on should know.
    const said = [...headers, ...(this.#own ?? [])];
    putRequestId(this.#req, said, this.#edits);
    res.writeHead(status, (isCut ? [...said, 'connection', 'close'] : said) as string[]);
    res.end(body);
    this.#leaveRequest();
  }

  /** Nothing more is to be done with it. Responses are kept for longer than their senders, who know all settings of their time. */
  protected leave(): void {
    this.#state = 'over';
    this.#sender = undefined;
  }

  /** Its client has gone, or has got all of it. */
  onClientGone(): void {
    if (this.#state === 'over') return;
    this.leave();
    this.#first = undefined;
    this.#abort?.();
  }
}

/** One for all responses: a closure each would be one more to throw away. */
function onResponseClose(this: ServerResponse): void {
  (this as Answered)[ANSWER]?.onClientGone();
}
