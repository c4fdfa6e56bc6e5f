import type { PeerCertificate } from 'node:tls';

/** Names that a certificate may have; one with more is not looked at further. */
const MOST_NAMES = 100;

/**
 * What a client's certificate calls it, in the order in which it is looked up: `URI:spiffe://…`, `DNS:…`, `email:…`, and
 * the common name, which is the oldest way and the least exact.
 */
export function certificateNames(certificate: Partial<PeerCertificate>): string[] {
  const { subjectaltname: alternatives = '', subject } = certificate;
  const names = splitNames(alternatives).slice(0, MOST_NAMES);
  const common: unknown = subject?.CN;
  return typeof common === 'string' ? [...names, `CN:${common}`] : names;
}

/**
 * `DNS:a.example, URI:spiffe://b`. Node writes a name with a comma or quotes in it as JSON; such a one is left out
 * rather than taken apart: `DNS:"a, DNS:b"` must not be `b`.
 */
function splitNames(text: string): string[] {
  const names: string[] = [];
  for (const [, kind, quoted, plain] of text.matchAll(
    /(?:^|, )([A-Za-z ]+):(?:("(?:[^"\\]|\\.)*")|([^,"]*))/gy,
  )) {
    if (quoted === undefined && (kind === 'DNS' || kind === 'URI' || kind === 'email'))
      names.push(`${kind}:${plain}`);
  }
  return names;
}
