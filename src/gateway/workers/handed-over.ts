import type { EventEmitter } from 'node:events';

/** What is needed of a worker's process. */
export interface WorkerPipe extends EventEmitter {
  readonly connected: boolean;
  send(message: unknown, ...rest: unknown[]): boolean;
}

/** What is left in a pipe is read at once: this is for a machine that pauses. */
const LAST_WORDS_MS = 1_000;

interface Handle {
  close(): void;
}

/**
 * Saves connections that die with a worker. `node:cluster` hands a connection over and waits for word that it was taken; when
 * that never comes, because the worker was killed in between, nobody closes the connection and its client waits for ever
 * (seen with Node 20). Here it is remembered what was handed over: when the worker is gone, the primary is told in its name that
 * it was not taken, and gives it to another one. Word is sent before anything is read, so no request is read twice.
 *
 * The form of these messages is Node's own business. If it is another one some day, nothing is remembered, and all is as it
 * would be without this.
 */
export function saveHandedOver(pipe: WorkerPipe, hasOthers: () => boolean): void {
  const pending = new Map<number, Handle>();
  const send = pipe.send.bind(pipe);
  pipe.send = (message, ...rest) => {
    const { cmd, act, seq } = Object(message) as Readonly<Record<string, unknown>>;
    const [handle] = rest;
    if (cmd === 'NODE_CLUSTER' && act === 'newconn' && typeof seq === 'number' && isHandle(handle))
      pending.set(seq, handle);
    return send(message, ...rest);
  };
  pipe.on('internalMessage', (message: unknown) => {
    const { ack } = Object(message) as Readonly<Record<string, unknown>>;
    if (typeof ack === 'number') pending.delete(ack);
  });
  const save = () => {
    for (const [seq, handle] of [...pending]) {
      pending.delete(seq);
      if (hasOthers()) pipe.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false });
      else handle.close();
    }
  };
  // Not before: what the worker said last may be read after its end. With something handed over Node does not always tell
  // of the end of the pipe, but it shows.
  pipe.once('disconnect', save);
  pipe.once('exit', () => {
    if (pipe.connected) setTimeout(save, LAST_WORDS_MS).unref();
    else setImmediate(save);
  });
}

function isHandle(value: unknown): value is Handle {
  return typeof (Object(value) as Partial<Handle>).close === 'function';
}
