import type { MethodDefinition } from '@grpc/grpc-js';

/** A request as handlers get it. In a box: grpc-js takes one that is falsy, such as '' or 0, for none. */
export interface Boxed<Q> {
  readonly value: Q;
}

/** A method of a service of ours, whose messages are read and written by hand. */
export function methodOf<Q, A>(
  path: string,
  decode: (bytes: Buffer) => Q,
  encode: (answer: A) => Buffer,
  responseStream = false,
): MethodDefinition<Boxed<Q>, A> {
  return {
    path,
    requestStream: false,
    responseStream,
    requestDeserialize: (message) => ({ value: decode(message) }),
    responseSerialize: encode,
    // A client's, of which there is none here.
    requestSerialize: unused,
    responseDeserialize: unused,
  };
}

export const bytes = (message: Buffer): Buffer => message;

function unused(): never {
  throw new Error('this definition is for servers');
}
