import type { SecureContextOptions } from 'node:tls';
import type { ReadFile } from './named-files.js';
import { readPems } from './pem-files.js';
import type { GatewaySettings, Listener } from './settings/index.js';

/** The certificates of one listener, read and known to be usable; undefined where nothing is encrypted. */
export type Certificates = SecureContextOptions | undefined;

/** Rejects with the key in settings that names what cannot be used. */
export async function readCertificates(
  settings: GatewaySettings,
  readFile: ReadFile,
): Promise<Certificates[]> {
  const all: Certificates[] = [];
  for (const [at, { tls }] of settings.listen.entries())
    all.push(tls && (await readPems(settings, namesOf(tls, at), readFile)));
  return all;
}

function namesOf({ cert, key, clientCa }: NonNullable<Listener['tls']>, at: number) {
  const path = ['listen', at, 'tls'];
  return {
    cert: { file: cert, path: [...path, 'cert'] },
    key: { file: key, path: [...path, 'key'] },
    ...(clientCa === undefined ? {} : { ca: { file: clientCa, path: [...path, 'clientCa'] } }),
  };
}
