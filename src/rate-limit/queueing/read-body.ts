import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parseDigits } from '../../wire/text.js';
import { type OverflowAnswer, problemAnswer, tooLargeAnswer } from './overflow-answers.js';

export interface ReadBodyOptions {
  readonly maxBytes: number;
  /** How long the client may take to send it. */
  readonly timeoutMs: number;
}

/** As long as a phone with 20 kbit/s takes for 64 kB. */
export const READ_BODY_MS = 30_000;

const CUT_OFF = problemAnswer(400, 'The request was cut off');

export type ReadBody = { readonly body: Buffer } | { readonly answer: OverflowAnswer };

/** The whole body, or what to answer when there is none to be had. Never rejects. */
export async function readBody(req: IncomingMessage, options: ReadBodyOptions): Promise<ReadBody> {
  const { maxBytes, timeoutMs } = options;
  if (req.readableEnded) return alreadyRead(req);
  if (req.destroyed) return { answer: CUT_OFF };
  const announced = parseDigits(req.headers['content-length'] ?? '', 15);
  if (announced > maxBytes) return { answer: tooLargeAnswer() };
  return await new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (read: ReadBody): void => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      // Errors that come later, when nobody reads any more.
      req.on('error', () => {});
      resolve(read);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.byteLength;
      if (length > maxBytes) {
        req.pause();
        end({ answer: tooLargeAnswer() });
      } else chunks.push(chunk);
    };
    const onEnd = (): void => end({ body: Buffer.concat(chunks) });
    const onGone = (): void => end({ answer: CUT_OFF });
    const timer = setTimeout(() => {
      req.pause();
      end({ answer: problemAnswer(408, 'The request was not sent in time', ['Connection', 'close']) });
    }, timeoutMs).unref();
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

/** Somebody before us has it. That is harmless if there was none. */
function alreadyRead({ headers }: IncomingMessage): ReadBody {
  const hadNone = headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0);
  return hadNone
    ? { body: Buffer.alloc(0) }
    : { answer: problemAnswer(500, 'The body was read before it could be queued') };
}
