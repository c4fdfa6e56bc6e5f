/** gRPC's status codes that are told apart here. Numbers of the protocol, so that nothing has to be imported for them. */
export const OK = 0;
export const CANCELLED = 1;
export const UNKNOWN = 2;
export const DEADLINE_EXCEEDED = 4;
export const RESOURCE_EXHAUSTED = 8;
export const INTERNAL = 13;
export const UNAVAILABLE = 14;
export const DATA_LOSS = 15;
