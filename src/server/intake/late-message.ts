import type { Socket } from 'node:net';

const CODE = 'ERR_HTTP_REQUEST_TIMEOUT';
/** What it is written as: logs are searched for it. */
const TITLE = `Error [${CODE}]: Request timeout`;

/**
 * Ends a connection whose message is late as Node does it: `clientError`, or else 408 where no answer has begun, and the
 * error. What Node calls for that is the listener it has to the socket's errors.
 */
export function cutOff(socket: Socket): void {
  const error = lateError();
  const onError = socket.listeners('error').find(({ name }) => name === 'socketOnError');
  if (onError === undefined) socket.destroy(error);
  else onError.call(socket, error);
}

/** No class of its own, like Node's. */
function lateError(): Error {
  const error = Object.assign(new Error('Request timeout'), { code: CODE });
  const { stack = '' } = error;
  Object.defineProperties(error, {
    stack: { value: stack.replace(/^.*/, TITLE), writable: true, configurable: true },
    toString: { value: () => TITLE, writable: true, configurable: true },
  });
  return error;
}
