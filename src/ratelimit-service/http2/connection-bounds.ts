import { SETTINGS } from './frames.js';
import { GRPC_STATUS, GrpcFailure } from './header-blocks.js';
import { MOST_FIELD_BYTES } from './hpack-decoder.js';

/** A proxy has a call for each of its requests under way: with more than this a second connection serves it better. */
export const MOST_STREAMS = 4_096;
/** What clients may send before they hear from us; half of it is given back at a time. */
export const RECEIVE_BYTES = 16 * 2 ** 20;
/** A client that reads nothing is not read from either, and beyond the second is gone. */
export const PAUSE_BYTES = 2 ** 18;
export const MOST_WAITING_BYTES = 2 ** 22;
/** What our ping says when it asks whether a farewell was heard. */
export const FAREWELL = 0x504c_494d;
/** What it says when it asks whether there is anybody. */
export const THERE = 0x504c_494e;

/** Why a call is ended before it was asked. */
export const REFUSALS = Object.freeze({
  tooLarge: new GrpcFailure(GRPC_STATUS.resourceExhausted, 'the message is too large'),
  tooMany: new GrpcFailure(GRPC_STATUS.resourceExhausted, 'too many messages are not all there'),
  tooLate: new GrpcFailure(GRPC_STATUS.deadlineExceeded, 'the message is not all there'),
});

/** What clients hear first. */
export const OUR_SETTINGS = Buffer.alloc(12);
OUR_SETTINGS.writeUInt16BE(SETTINGS.maxConcurrentStreams, 0);
OUR_SETTINGS.writeUInt32BE(MOST_STREAMS, 2);
OUR_SETTINGS.writeUInt16BE(SETTINGS.maxHeaderListSize, 6);
OUR_SETTINGS.writeUInt32BE(MOST_FIELD_BYTES, 8);
