import {
  addField,
  encodeGrpcTimeout,
  GRPC_TIMEOUT_HEADER,
  type Http2Fields,
  TIMEOUT_HEADER,
} from '../../wire/index.js';

/** What an attempt asks for, as far as its head goes. */
export interface RequestLine {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly query?: Record<string, unknown> | undefined;
}

/** A request as HTTP/2 has it: `Host` is `:authority` there. What is left of a gRPC call's time is said in gRPC's words. */
export function requestFields(
  { method, path, headers, query }: RequestLine,
  { protocol, host }: URL,
): Http2Fields {
  const fields: Http2Fields = {
    ':method': method,
    ':scheme': protocol.slice(0, -1),
    ':path': query === undefined ? path : withQuery(path, query),
    ':authority': host,
  };
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase();
    if (name === 'host') fields[':authority'] = headers[i + 1]!;
    // Nothing is sent before its answer is waited for; and of TE only this has a place here (RFC 9113, 8.2.2).
    else if (name === 'expect' || (name === 'te' && headers[i + 1] !== 'trailers')) continue;
    else addField(fields, name, headers[i + 1]!);
  }
  const leftMs = fields[TIMEOUT_HEADER];
  if (fields[GRPC_TIMEOUT_HEADER] !== undefined || isGrpc(fields))
    if (typeof leftMs === 'string') fields[GRPC_TIMEOUT_HEADER] = encodeGrpcTimeout(Number(leftMs));
  return fields;
}

function isGrpc({ 'content-type': type }: Http2Fields): boolean {
  return typeof type === 'string' && type.startsWith('application/grpc');
}

function withQuery(path: string, query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat())
      if (each !== undefined && each !== null) search.append(name, String(each));
  const text = search.toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}
