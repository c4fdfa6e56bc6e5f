import { withDefaults } from '../../core/check.js';

/** What one connection may do. */
export interface Http2Limits {
  /** Streams at once; more are refused. */
  readonly maxStreams: number;
  /** Headers of one request. */
  readonly maxHeaders: number;
  /** Bytes of all of them, names and values and 32 each (RFC 9113, 6.5.2). */
  readonly maxHeaderBytes: number;
  /** How much of a body is taken before anybody wants it; and of all that is on its way (Node gives this back as it comes). */
  readonly windowBytes: number;
  readonly sharedWindowBytes: number;
  /** Streams that it resets before they are answered: so many at once, and so many a second for ever. */
  readonly resets: number;
  readonly resetsPerSecond: number;
  /** The same for pings and settings. */
  readonly pings: number;
  readonly pingsPerSecond: number;
  /** Frames that make no sense, and streams beyond `maxStreams`, before it is cut off. */
  readonly maxNonsense: number;
  /** What it may make us keep, in MB. */
  readonly maxMegabytes: number;
  /** A connection without streams is kept for so long. */
  readonly idleMs: number;
  /** Whether the other end is there is asked so often while it has streams, and it has so long to say so. */
  readonly askMs: number;
  readonly answerMs: number;
  /** A stream on which nothing moves, for so long. */
  readonly quietMs: number;
  /** What to do first has to be seen after this. */
  readonly firstBytesMs: number;
}

export const HTTP2_LIMITS: Http2Limits = Object.freeze({
  // RFC 9113, 6.5.2 asks for 100 at least. What does not fit waits at the client and not here.
  maxStreams: 128,
  // As for HTTP/1.1 (SERVER_LIMITS_DEFAULTS).
  maxHeaders: 200,
  // Node's for HTTP/1.1 is 16 KiB, without the 32 for each: of two hundred these are 6 KiB.
  maxHeaderBytes: 24_576,
  // RFC 9113's own: as much as is read of bodies that are kept for a retry.
  windowBytes: 65_535,
  // Sixteen of those: an upload that nobody reads must not hold up the others.
  sharedWindowBytes: 1_048_576,
  // A page that is left cancels what it has asked for, 128 streams at most. Rapid reset does thousands a second.
  resets: 256,
  resetsPerSecond: 50,
  // gRPC measures the way there with a ping each time data comes, one at a time: a thousand a second nearby.
  pings: 10_000,
  pingsPerSecond: 5_000,
  // Those who speak HTTP/2 send none.
  maxNonsense: 100,
  // Node's: 128 streams of 64 KiB are 8.
  maxMegabytes: 10,
  // SERVER_LIMITS_DEFAULTS: longer than clients keep them.
  idleMs: 75_000,
  // So long a connection is kept at the most whose client has gone without a word: half of an idle one.
  askMs: 15_000,
  // gRPC's own (keepalive_timeout).
  answerMs: 20_000,
  // As long as a backend may be quiet (timeouts.body).
  quietMs: 300_000,
  firstBytesMs: 15_000,
});

export function http2Limits(given: Partial<Http2Limits>): Http2Limits {
  return withDefaults('http2', HTTP2_LIMITS, given);
}
