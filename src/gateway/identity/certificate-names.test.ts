import type { PeerCertificate } from 'node:tls';
import { expect, it } from 'vitest';
import { certificateNames } from './certificate-names.js';

const certificate = (subjectaltname?: string, CN?: string) =>
  ({ subjectaltname, subject: { CN } }) as unknown as Partial<PeerCertificate>;

it.each([
  [
    'DNS:a.internal, URI:spiffe://x/y, email:me@x',
    'a',
    ['DNS:a.internal', 'URI:spiffe://x/y', 'email:me@x', 'CN:a'],
  ],
  ['IP Address:10.0.0.1, DNS:b', undefined, ['DNS:b']],
  [undefined, 'a', ['CN:a']],
  [undefined, undefined, []],
  // A name that has the next one in itself.
  ['DNS:"a, DNS:admin.internal", DNS:c', undefined, ['DNS:c']],
  ['DNS:"a\\", DNS:admin.internal", DNS:c', undefined, ['DNS:c']],
])('%s and %s are %j', (alternatives, common, names) => {
  expect(certificateNames(certificate(alternatives, common))).toEqual(names);
});

it('has nothing to say of no certificate', () => {
  expect(certificateNames({})).toEqual([]);
});
