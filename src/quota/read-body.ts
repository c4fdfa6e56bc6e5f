import type { IncomingMessage } from 'node:http';
import { MOST_CAPACITY_BYTES } from '../wire/index.js';
import { type NoBytes, readBytes } from '../wire/read-bytes.js';

/** A body as JSON, or the status that says why there is none. */
export type Body = { readonly value: unknown } | NoBody;

export interface NoBody {
  readonly status: 400 | 408 | 413;
}

const STATUS: Readonly<Record<NoBytes, NoBody['status']>> = Object.freeze({
  'cut-off': 400,
  'too-slow': 408,
  'too-large': 413,
});

/** Reads so much for so long, and not more. Never rejects. */
export async function readBody(req: IncomingMessage, withinMs: number): Promise<Body> {
  // A framework has read it already.
  const { body } = req as { body?: unknown };
  if (body !== undefined) return { value: body };
  const bytes = await readBytes(req, { maxBytes: MOST_CAPACITY_BYTES, timeoutMs: withinMs });
  if (typeof bytes === 'string') {
    // Whatever still comes is read by nobody.
    req.resume();
    return { status: STATUS[bytes] };
  }
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return { status: 400 };
  }
}
