/**
 * Takes requests apart like a careless server: lines may end in any way, names may have blanks, of two lengths one is
 * believed. Returns those that are complete, each as it came.
 */
export function readLeniently(bytes: string, faith: 'chunks first' | 'length first'): string[] {
  const requests: string[] = [];
  let rest = bytes;
  for (;;) {
    const head = /^[\r\n]*([\s\S]*?)\r?\n\r?\n/.exec(rest);
    if (head === null) return requests;
    const body = rest.slice(head[0].length);
    const length = bodyLength(head[1]!, body, faith);
    if (length === undefined || length > body.length) return requests;
    requests.push(head[0] + body.slice(0, length));
    rest = body.slice(length);
  }
}

function bodyLength(head: string, body: string, faith: string): number | undefined {
  const isChunked = /^transfer[-_]encoding[\s\0]*:.*chunked/im.test(head);
  const said = /^content[-_]length\s*:\s*\+?(\d+)/im.exec(head)?.[1];
  if (isChunked && (faith === 'chunks first' || said === undefined)) return chunkedLength(body);
  return said === undefined ? 0 : Number(said);
}

function chunkedLength(body: string): number | undefined {
  let at = 0;
  for (;;) {
    const line = /^([0-9a-f]+)[^\n]*\n/i.exec(body.slice(at));
    if (line === null) return undefined;
    at += line[0].length;
    const size = Number.parseInt(line[1]!, 16);
    if (size === 0) {
      const end = /^(?:[^\n]+\n)*?\r?\n/.exec(body.slice(at));
      return end === null ? undefined : at + end[0].length;
    }
    at += size;
    const after = /^\r?\n/.exec(body.slice(at));
    if (after === null) return undefined;
    at += after[0].length;
  }
}
