import type { ServerResponse } from 'node:http';

/** Told of an answer as it goes out. */
export interface AnswerListener {
  /** What `writeHead` was called with, by the handler or by Node for it. Status and headers are final. */
  onHead(res: ServerResponse, writeHeadArguments: readonly unknown[]): void;
  /** A piece of the body, which may be changed by its owner right after. */
  onChunk(res: ServerResponse, chunk: string | Uint8Array, encoding: unknown): void;
  /** The handler has ended it. May come again. */
  onEnd(res: ServerResponse): void;
}

type Method = (...args: unknown[]) => unknown;

interface Tap {
  listener: AnswerListener;
  readonly writeHead: Method;
  readonly write: Method;
  readonly end: Method;
}

const TAP = Symbol('plimsoll.tap');

type Tapped = ServerResponse & { [TAP]?: Tap };

/**
 * Listens to an answer by methods of its own object, as Node has no events for them. The functions are shared by all
 * answers, and what others have put in their place before is called. They stay when nobody listens any more: an object
 * whose properties are deleted gets slow. An answer has one listener: the first.
 */
export function tapAnswer(res: ServerResponse, listener: AnswerListener): void {
  const tapped = res as Tapped;
  if (tapped[TAP] !== undefined) return;
  const { writeHead, write, end } = res as unknown as Tap;
  tapped[TAP] = { listener, writeHead, write, end };
  Object.assign(tapped, { writeHead: tappedWriteHead, write: tappedWrite, end: tappedEnd });
}

/** Nobody is to be told of it any more. */
export function untapAnswer(res: ServerResponse): void {
  const tap = (res as Tapped)[TAP];
  if (tap !== undefined) tap.listener = NOBODY;
}

const NOBODY: AnswerListener = Object.freeze({ onHead() {}, onChunk() {}, onEnd() {} });

// In each of these Node comes first: when it throws, nothing was sent and nothing is told.

function tappedWriteHead(this: Tapped, ...args: unknown[]): unknown {
  const { writeHead, listener } = this[TAP]!;
  const result = writeHead.apply(this, args);
  listener.onHead(this, args);
  return result;
}

function tappedWrite(this: Tapped, ...args: unknown[]): unknown {
  const { write, listener } = this[TAP]!;
  const result = write.apply(this, args);
  listener.onChunk(this, args[0] as string | Uint8Array, args[1]);
  return result;
}

function tappedEnd(this: Tapped, ...args: unknown[]): unknown {
  const { end, listener } = this[TAP]!;
  const result = end.apply(this, args);
  const chunk = args[0];
  if (chunk !== undefined && chunk !== null && typeof chunk !== 'function') {
    listener.onChunk(this, chunk as string | Uint8Array, args[1]);
  }
  listener.onEnd(this);
  return result;
}
