import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SettingsError } from '../../../src/config/index.js';
import { checkFiles, createGateway, parseGatewaySettings } from '../../../src/gateway/index.js';
import { CERTIFICATE, KEY } from '../client/certificate.js';

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-named-files-'));
beforeAll(() => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const files = {
    'a.crt': CERTIFICATE,
    'a.key': KEY,
    'b.key': privateKey.export({ type: 'pkcs8', format: 'pem' }),
    empty: '',
    'bytes.yaml': 'service: a\nunit: bytes\neveryoneElse: { bytes: 1 }\n',
    'wrong.yaml': 'a: b\n',
    backends: '["ftp://a"]',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ROUTES = 'routes: [{ to: "http://127.0.0.1:1" }]';
const parsed = (text: string) => parseGatewaySettings(`${text}\n${ROUTES}\n`, 'g.yaml', {});
const tls = (rest: string) => `listen:\n  - 1\n  - { address: 2, tls: { ${rest} } }`;
const service = (rest: string) =>
  `listen: 1\nservices:\n  a: { backends: ["https://a:1"], tls: { ${rest} } }`;
const NOT_THERE = /: nope: cannot be read: ENOENT.*: write where it is, from the folder of these settings/;
const NO_CERTIFICATE = /: empty: is no certificate: write a file in PEM, which has .*BEGIN CERT.* \(error:/;
const NO_KEY = /: empty: is no private key, or has a passphrase: write a file in PEM.* \(error:/;
const NOT_A_PAIR =
  /: b\.key: does not go with a\.crt: write the key of that certificate \(it was made for another key\)$/;

const NEEDED: [text: string, place: string, wrong: RegExp][] = [
  [tls('cert: nope, key: a.key'), '3:32: listen[1].tls.cert', NOT_THERE],
  [tls('cert: a.crt, key: nope'), '3:44: listen[1].tls.key', NOT_THERE],
  [tls('cert: a.crt, key: a.key, clientCa: nope'), '3:61: listen[1].tls.clientCa', NOT_THERE],
  [tls('cert: empty, key: a.key'), '3:32: listen[1].tls.cert', NO_CERTIFICATE],
  [tls('cert: a.crt, key: empty'), '3:44: listen[1].tls.key', NO_KEY],
  [tls('cert: a.crt, key: b.key'), '3:44: listen[1].tls.key', NOT_A_PAIR],
  [tls('cert: a.crt, key: a.key, clientCa: empty'), '3:61: listen[1].tls.clientCa', NO_CERTIFICATE],
  ['listen: { address: 2, tls: { cert: nope, key: a } }', '1:36: listen[0].tls.cert', NOT_THERE],
  [service('ca: nope'), '3:46: services.a.tls.ca', NOT_THERE],
  [service('ca: empty'), '3:46: services.a.tls.ca', NO_CERTIFICATE],
  [service('cert: empty, key: a.key'), '3:48: services.a.tls.cert', NO_CERTIFICATE],
  [service('cert: a.crt, key: b.key'), '3:60: services.a.tls.key', NOT_A_PAIR],
  ['listen: 1\nidentity: { apiKeys: { file: nope } }', '2:30: identity.apiKeys.file', NOT_THERE],
  ['listen: 1\nidentity: { apiKeys: { file: . } }', '2:30: identity.apiKeys.file', /EISDIR.*another file$/],
  ['listen: 1\nidentity: { jwt: { publicKey: nope } }', '2:31: identity.jwt.publicKey', NOT_THERE],
  [
    'listen: 1\nidentity: { jwt: { publicKey: empty } }',
    '2:31: identity.jwt.publicKey',
    /: empty: jwt\.publicKey must be a public key.*: write a file with a public key in PEM$/,
  ],
  ['listen: 1\nquota: { file: nope }', '2:16: quota.file', NOT_THERE],
  [
    'listen: 1\nquota: { file: bytes.yaml }',
    '2:16: quota.file',
    /: bytes\.yaml: unit must be cpu or requests/,
  ],
];

function check(error: unknown, place: string, wrong: RegExp): void {
  expect(error).toBeInstanceOf(SettingsError);
  const { message } = error as SettingsError;
  expect(message.slice(0, `g.yaml:${place}`.length)).toBe(`g.yaml:${place}`);
  expect(message).toMatch(wrong);
}

it.each(NEEDED)('%j is told at %s, by a check and by a start', async (text, place, wrong) => {
  const failed = await checkFiles(parsed(text), folder).catch((error: unknown) => error);
  check(failed, place, wrong);
  const started = await createGateway(parsed(text), { directory: folder }).catch((error: unknown) => error);
  check(started, place, wrong);
});

it('tells a checker of backends that a running gateway would leave out', async () => {
  const text = 'listen: 1\nservices: { a: { backends: { file: backends } } }';
  const failed = await checkFiles(parsed(text), folder).catch((error: unknown) => error);
  check(failed, '2:36: services.a.backends.file', /: backends: .*ftp/);
});

it('tells what is wrong within a file with its place there', async () => {
  const text = 'listen: 1\nidentity: { apiKeys: { file: wrong.yaml } }';
  await expect(checkFiles(parsed(text), folder)).rejects.toThrow(/^wrong\.yaml:1:1: /);
});

it('finds nothing wrong with what is right', async () => {
  const text = `${tls('cert: a.crt, key: a.key, clientCa: a.crt')}\nservices: { a: { backends: ["https://a:1"], tls: { ca: a.crt, cert: a.crt, key: a.key } } }`;
  await checkFiles(parsed(text), folder);
});
