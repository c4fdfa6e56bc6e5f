import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parseDigits } from './text.js';

/** How much is read of somebody, and for how long. */
export interface ReadBytesOptions {
  /** Longer bodies are not read. */
  readonly maxBytes: number;
  /** How long the sender may take. */
  readonly timeoutMs: number;
}

/** Why there is no body to be had. */
export type NoBytes = 'too-large' | 'too-slow' | 'cut-off';

/**
 * The whole body of a request, so much for so long and not more. Never rejects. What is left of it when it is too large or
 * too slow stays where it is: the caller lets it flow away, or closes the connection.
 */
export function readBytes(
  req: IncomingMessage,
  { maxBytes, timeoutMs }: ReadBytesOptions,
): Promise<Buffer | NoBytes> {
  // Of what has ended or broken off already no more will be heard.
  if (req.destroyed || req.readableEnded) return Promise.resolve('cut-off');
  if (parseDigits(req.headers['content-length'] ?? '', 15) > maxBytes) return Promise.resolve('too-large');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (read: Buffer | NoBytes): void => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      // Errors that come later, when nobody reads any more.
      req.on('error', () => {});
      resolve(read);
    };
    const giveUp = (why: NoBytes): void => {
      req.pause();
      end(why);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.byteLength;
      if (length > maxBytes) giveUp('too-large');
      else chunks.push(chunk);
    };
    const onEnd = (): void => end(Buffer.concat(chunks));
    const onGone = (): void => end('cut-off');
    const timer = setTimeout(() => giveUp('too-slow'), timeoutMs).unref();
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
