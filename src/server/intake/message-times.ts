import type { Socket } from 'node:net';
import type { HttpParser, MessageSlots } from './parser-slot.js';

/** When the message began that a client is sending, and how far it has come. */
export interface MessageTimes {
  readonly socket: Socket;
  /** 0: all of the last one has come. What a new connection has to say is waited for from its start. */
  messageSinceMs: number;
  isHeadThere: boolean;
}

const TIMES = Symbol('plimsoll.message-times');

type TimedParser = HttpParser & { [TIMES]?: MessageTimes | undefined };

function onBegin(this: TimedParser): void {
  const times = this[TIMES];
  if (times === undefined || times.socket !== this.socket) return;
  times.messageSinceMs = performance.now();
  times.isHeadThere = false;
}

let originalComplete: MessageSlots['originalComplete'];

function onComplete(this: TimedParser): unknown {
  const times = this[TIMES];
  if (times !== undefined && times.socket === this.socket) times.messageSinceMs = 0;
  return originalComplete.call(this);
}

/** Keeps `times` true for as long as the parser is its connection's; that there are headers is for others to say. */
export function timeMessages(parser: HttpParser, slots: MessageSlots, times: MessageTimes): void {
  ({ originalComplete } = slots);
  times.messageSinceMs = performance.now();
  times.isHeadThere = false;
  (parser as TimedParser)[TIMES] = times;
  parser[slots.begin] = onBegin;
  parser[slots.complete] = onComplete;
}

/** Parsers go to other connections, unless they are there already. */
export function leaveMessages(parser: HttpParser, slots: MessageSlots, times: MessageTimes): void {
  if ((parser as TimedParser)[TIMES] !== times) return;
  (parser as TimedParser)[TIMES] = undefined;
  parser[slots.begin] = null;
  parser[slots.complete] = slots.originalComplete;
}
