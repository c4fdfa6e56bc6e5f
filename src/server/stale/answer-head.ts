import type { ServerResponse } from 'node:http';

/** Headers of an answer by lower-case name, each with its values in order. */
export type AnswerHead = ReadonlyMap<string, readonly string[]>;

type HeaderValue = number | string | readonly string[] | undefined;

/**
 * The headers with which an answer goes out, however they were set: by `setHeader`, or handed to `writeHead` as an
 * object, a flat array of names and values, or an array of pairs, which override what was set before. Those that Node
 * adds itself (date, connection, framing) are not among them.
 */
export function readAnswerHead(res: ServerResponse, writeHeadArguments: readonly unknown[]): AnswerHead {
  const head = new Map<string, string[]>();
  for (const name of res.getHeaderNames()) head.set(name, valuesOf(res.getHeader(name)));
  const given = typeof writeHeadArguments[1] === 'string' ? writeHeadArguments[2] : writeHeadArguments[1];
  const overridden = new Set<string>();
  for (const [name, value] of entriesOf(given)) {
    const lower = name.toLowerCase();
    if (overridden.has(lower)) head.get(lower)!.push(...valuesOf(value));
    else head.set(lower, valuesOf(value));
    overridden.add(lower);
  }
  return head;
}

function entriesOf(given: unknown): [string, HeaderValue][] {
  if (!Array.isArray(given)) return Object.entries((given ?? {}) as Record<string, HeaderValue>);
  if (Array.isArray(given[0])) return given as [string, HeaderValue][];
  const entries: [string, HeaderValue][] = [];
  for (let i = 0; i < given.length; i += 2) entries.push([String(given[i]), given[i + 1] as HeaderValue]);
  return entries;
}

function valuesOf(value: HeaderValue): string[] {
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

/** The values of a header as one list (RFC 9110 5.3); undefined when it is absent. */
export function joined(head: AnswerHead, name: string): string | undefined {
  return head.get(name)?.join(', ');
}

/** The members of a comma-separated header, in lower case. */
export function members(head: AnswerHead, name: string): string[] {
  const list = joined(head, name)?.toLowerCase().split(',') ?? [];
  return list.map((member) => member.trim()).filter((member) => member !== '');
}
