import type { IncomingMessage } from 'node:http';
import { MOST_BODY_BYTES } from './capacity-path.js';

/** A body as JSON, or the status that says why there is none. */
export type Body = { readonly value: unknown } | NoBody;

export interface NoBody {
  readonly status: 400 | 408 | 413;
}

/** Reads so much for so long, and not more. Never rejects. */
export async function readBody(req: IncomingMessage, withinMs: number): Promise<Body> {
  // A framework has read it already.
  const { body } = req as { body?: unknown };
  if (body !== undefined) return { value: body };
  const bytes = await readBytes(req, withinMs);
  if ('status' in bytes) return bytes;
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return { status: 400 };
  }
}

function readBytes(req: IncomingMessage, withinMs: number): Promise<Buffer | NoBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (result: Buffer | NoBody) => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('close', onGone);
      resolve(result);
    };
    const timer = setTimeout(() => end({ status: 408 }), withinMs).unref();
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > MOST_BODY_BYTES) end({ status: 413 });
      else chunks.push(chunk);
    };
    const onEnd = () => end(Buffer.concat(chunks));
    const onGone = () => end({ status: 400 });
    // It stays: an error may come at any time after that.
    req.on('error', onGone);
    req.on('data', onData).on('end', onEnd).on('close', onGone);
  });
}
