import type { EventEmitter } from 'node:events';
import type { Metered } from './metered.js';

/** Goes on with a request that runs already. */
export interface Resumer {
  resume<R, A, B>(request: Metered, fn: (a: A, b: B) => R, a: A, b: B): R;
}

type EmitArgs = Parameters<EventEmitter['emit']>;

interface Binding {
  readonly resumer: Resumer;
  readonly request: Metered;
  readonly emit: EventEmitter['emit'];
}

const BINDING = Symbol('plimsoll.binding');

interface BoundEmitter extends EventEmitter {
  [BINDING]: Binding | undefined;
}

/** All that the emitter emits from now on is part of the request. */
export function bindEmitter(emitter: EventEmitter, resumer: Resumer, request: Metered): void {
  const bound = emitter as BoundEmitter;
  const { [BINDING]: known } = bound;
  // Bound again, it belongs to the last one; whoever has wrapped `emit` since then calls ours.
  bound[BINDING] = { resumer, request, emit: known?.emit ?? bound.emit };
  if (known === undefined) bound.emit = emitBound;
}

function emitBound(this: BoundEmitter, ...args: EmitArgs): boolean {
  const { resumer, request } = this[BINDING]!;
  return resumer.resume(request, emitAll, this, args);
}

function emitAll(emitter: BoundEmitter, args: EmitArgs): boolean {
  return emitter[BINDING]!.emit.apply(emitter, args);
}
