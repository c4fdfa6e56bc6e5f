import type { GuardedRequest } from '../guarded-request.js';
import { silence } from '../refusing/silence.js';

/** Answers 413 to a body that is too long, as soon as that is known. False when it is known already. */
export function limitBody(request: GuardedRequest, maxBytes: number): boolean {
  const { contentLength } = request;
  if (contentLength !== undefined && contentLength > maxBytes) {
    answerTooLarge(request);
    return false;
  }
  if (contentLength === undefined && (request.hasBody || hasManyHeaders(request)))
    countBody(request, maxBytes);
  return true;
}

/** Node passes headers on by 32, and leaves out what is beyond `maxHeaders`: the length may be among that. */
function hasManyHeaders({ req }: GuardedRequest): boolean {
  return req !== undefined && req.rawHeaders.length >= 64;
}

/** Counted where Node puts what it reads: a listener would set the stream flowing before its handler is there. */
function countBody(request: GuardedRequest, maxBytes: number): void {
  const { req } = request;
  if (req === undefined || maxBytes === Number.POSITIVE_INFINITY) return;
  const { push } = req;
  let bytes = 0;
  req.push = (chunk: unknown, encoding?: BufferEncoding) => {
    bytes += Buffer.isBuffer(chunk) ? chunk.length : 0;
    if (bytes <= maxBytes) return push.call(req, chunk, encoding);
    // Read and forgotten, for as long as the answer takes.
    req.push = () => true;
    answerTooLarge(request);
    return true;
  };
}

/** Whoever reads the body is told, and the connection goes when the answer has had the time to arrive. */
function answerTooLarge({ req, res, connection }: GuardedRequest): void {
  const error = Object.assign(new Error('the request body is too long'), { code: 'PLIMSOLL_BODY_TOO_LARGE' });
  // One that nobody reads has nobody to tell: without a listener the error would end the process.
  req?.on('error', () => {});
  if (res !== undefined && !res.headersSent) {
    connection.lingerAtEnd();
    res.writeHead(413, ['connection', 'close', 'content-length', '0'] as unknown as string[]);
    res.end();
    silence(res);
    // Node's would take the connection along at once, and the answer with it.
    if (req !== undefined) req._destroy = (reason, done) => done(reason);
  }
  req?.destroy(error);
}
