import type { InterceptingCall, Metadata, NextCall, StatusObject } from '@grpc/grpc-js';

/** A call as interceptors see it; grpc-js exports no name for it. */
export type Call = ReturnType<NextCall>;

export type CallListener = NonNullable<Parameters<InterceptingCall['start']>[1]>;

export type MessageContext = Parameters<InterceptingCall['sendMessageWithContext']>[0];

/** Who hears of it. */
export interface Listener {
  onReceiveMetadata(metadata: Metadata): void;
  onReceiveMessage(message: unknown): void;
  onReceiveStatus(status: StatusObject): void;
}

/** All of a listener: clients leave out what they do not need. */
export function completeListener(given: CallListener | undefined): Listener {
  return {
    onReceiveMetadata: (metadata) => given?.onReceiveMetadata?.(metadata),
    onReceiveMessage: (message) => given?.onReceiveMessage?.(message),
    onReceiveStatus: (status) => given?.onReceiveStatus?.(status),
  };
}
