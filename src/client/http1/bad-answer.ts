import { errors } from 'undici';

/** An answer that is none, by the name that Node's and undici's parser has for it: logs and alerts know those. */
export function badAnswer(fault: string, code: string): Error {
  const message = `Response does not match the HTTP/1.1 protocol (${fault})`;
  return Object.assign(new errors.HTTPParserError(message), { code: `HPE_${code}` });
}
