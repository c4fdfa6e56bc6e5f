/** RFC 9113, 6. */
export const FRAMES = Object.freeze({
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
});

/** `whole`: header fields that are all there, and the end. */
export const FLAGS = Object.freeze({
  endStream: 1,
  ack: 1,
  endHeaders: 4,
  whole: 5,
  padded: 8,
  priority: 0x20,
});

/** RFC 9113, 7. */
export const ERRORS = Object.freeze({
  none: 0,
  protocol: 1,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  compression: 9,
  enhanceYourCalm: 11,
});

/** RFC 9113, 6.5.2. */
export const SETTINGS = Object.freeze({
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
});

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const FRAME_HEAD_BYTES = 9;
/** The least that everybody must be able to take, and the most that we take and send (RFC 9113, 4.2). */
export const FRAME_BYTES = 16_384;
/** What a window is when nobody has said anything else (RFC 9113, 6.9.2). */
export const WINDOW_BYTES = 65_535;
export const MOST_WINDOW_BYTES = 2 ** 31 - 1;
export const LAST_STREAM = 2 ** 31 - 1;

/** Why a connection cannot go on. */
export class ConnectionFault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
