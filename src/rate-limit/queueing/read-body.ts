import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type NoBytes, type ReadBytesOptions, readBytes } from '../../wire/read-bytes.js';
import { type OverflowAnswer, problemAnswer, tooLargeAnswer } from './overflow-answers.js';

/** How large a body may be, and how long it may take. */
export type ReadBodyOptions = ReadBytesOptions;

/** As long as a phone with 20 kbit/s takes for 64 kB. */
export const READ_BODY_MS = 30_000;

/** A body, or what to answer since there is none to be had. */
export type ReadBody = { readonly body: Buffer } | { readonly answer: OverflowAnswer };

/** The whole body, or what to answer when there is none to be had. Never rejects. */
export async function readBody(req: IncomingMessage, options: ReadBodyOptions): Promise<ReadBody> {
  if (req.readableEnded) return alreadyRead(req);
  const bytes = await readBytes(req, options);
  return typeof bytes === 'string' ? { answer: answerTo(bytes) } : { body: bytes };
}

function answerTo(why: NoBytes): OverflowAnswer {
  switch (why) {
    case 'too-large':
      return tooLargeAnswer();
    case 'too-slow':
      return problemAnswer(408, 'The request was not sent in time', ['Connection', 'close']);
    case 'cut-off':
      return problemAnswer(400, 'The request was cut off');
  }
}

/** Somebody before us has it. That is harmless if there was none. */
function alreadyRead({ headers }: IncomingMessage): ReadBody {
  const hadNone = headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0);
  return hadNone
    ? { body: Buffer.alloc(0) }
    : { answer: problemAnswer(500, 'The body was read before it could be queued') };
}
