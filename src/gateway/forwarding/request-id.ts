import { isNamed } from '../../wire/text.js';
import type { HeaderEdits } from './header-edits.js';

export const REQUEST_ID_HEADER = 'x-request-id';

const REQUEST_ID = Symbol('plimsoll.request-id');

type Tagged = { [REQUEST_ID]?: string };

/** By what a request is found in logs, here and at its backend. */
export function tagRequest(req: object, id: string): void {
  (req as Tagged)[REQUEST_ID] = id;
}

/** Undefined: it has none, and whatever it says of that passes as it is. */
export function requestIdOf(req: object): string | undefined {
  return (req as Tagged)[REQUEST_ID];
}

/** Says it in a flat list of headers, in place of whatever they say; not if an operator has written what is to be said. */
export function putRequestId(req: object, headers: string[], edits?: HeaderEdits): void {
  const id = (req as Tagged)[REQUEST_ID];
  if (id === undefined || edits?.drops(REQUEST_ID_HEADER) === true) return;
  let isSaid = false;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    if (name.length !== REQUEST_ID_HEADER.length || !isNamed(name, REQUEST_ID_HEADER)) continue;
    headers[i + 1] = id;
    isSaid = true;
  }
  if (!isSaid) headers.push(REQUEST_ID_HEADER, id);
}
