import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { lateError } from '../config/index.js';
import type { Path, ReadFile } from './named-files.js';
import type { GatewaySettings } from './settings/index.js';

/** As TLS calls them. */
type Role = 'ca' | 'cert' | 'key';

/** A file, and the key in settings that names it. */
interface Named {
  readonly file: string;
  readonly path: Path;
}

export type NamedPems = Partial<Record<Role, Named>>;
export type Pems = Partial<Record<Role, string>>;

const NO_CERTIFICATE =
  'is no certificate: write a file in PEM, which has a line "-----BEGIN CERTIFICATE-----"';
const NO_KEY =
  'is no private key, or has a passphrase: write a file in PEM, which has a line "-----BEGIN PRIVATE KEY-----"';

/** The texts of files for TLS. Rejects with the key that names one which cannot be used, or does not go with another. */
export async function readPems(
  settings: GatewaySettings,
  named: NamedPems,
  readFile: ReadFile,
): Promise<Pems> {
  const texts: Pems = {};
  for (const [role, { file, path }] of Object.entries(named))
    texts[role as Role] = await readFile(file, path);
  const check = (role: Role, wrong: string, use: (text: string) => unknown) => {
    const text = texts[role];
    // An empty one is none, too: to `node:tls` it would be as if nobody had named it.
    if (text === undefined) return;
    const { file, path } = named[role]!;
    try {
      use(text);
    } catch (cause) {
      const said = `${file}: ${wrong} (${(cause as Error).message})`;
      throw lateError(settings, [{ path, text: said }], { cause });
    }
  };
  // One by one: OpenSSL does not say which of them it means.
  check('ca', NO_CERTIFICATE, (ca) => new X509Certificate(ca));
  check('cert', NO_CERTIFICATE, (cert) => new X509Certificate(cert));
  check('key', NO_KEY, createPrivateKey);
  const mate = named.cert?.file;
  check('key', `does not go with ${mate}: write the key of that certificate`, (key) => {
    const isMade = new X509Certificate(texts.cert!).checkPrivateKey(createPrivateKey(key));
    if (!isMade) throw new Error('it was made for another key');
  });
  // Too short a key, for one.
  check('cert', 'cannot be used: write the name of another', () => createSecureContext(texts));
  return texts;
}
