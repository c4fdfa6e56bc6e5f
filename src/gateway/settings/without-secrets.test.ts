import { expect, it } from 'vitest';
import { parseGatewaySettings, printSettings } from './gateway-settings.js';

const SECRETS = `
listen: 8080
redis: redis://bob:s3cret-redis@a:6379
admin: { token: s3cret-admin-token }
identity: { jwt: { jwksUrl: "https://u:s3cret-jwks@issuer.example.com/keys?t=s3cret-query", algorithms: [ES256] } }
routes:
  - path: /a
    to: http://127.0.0.1:3000
    headers: { x-origin-secret: s3cret-origin, x-beta: 'yes', x-token: true }
    requestHeaders: { set: { Authorization: Basic s3cret-basic, x-edge: edge-1 } }
    answerHeaders: { set: { set-cookie: s3cret-cookie, x-served: by-us } }
`;

it('prints no secret, and all that is none', () => {
  const printed = printSettings(parseGatewaySettings(SECRETS, 'g.yaml', {}));
  expect(printed).not.toContain('s3cret');
  expect(printed).not.toContain('bob');
  for (const plain of ['x-beta: yes', 'x-edge: edge-1', 'x-served: by-us', 'x-token: true'])
    expect(printed).toContain(plain);
  expect(printed).toContain('redis://***@a:6379');
});

it('prints no header that comes from the environment, whatever it is called', () => {
  const text = `
listen: 8080
routes:
  - { path: /a, to: "http://a:1", requestHeaders: { set: { x-plain: plain } } }
  - to: http://a:1
    headers: { x-from: "\${SV}" }
    requestHeaders: { set: { x-foo: "\${SV}", x-bar: "id \${SV}" } }
    answerHeaders: { set: { x-baz: "\${SV:-none}", x-edge: edge-1 } }
`;
  const printed = printSettings(parseGatewaySettings(text, 'g.yaml', { SV: 's3cret' }));
  expect(printed).not.toContain('s3cret');
  for (const shown of ['x-plain: plain', 'x-foo: "***"', 'x-edge: edge-1']) expect(printed).toContain(shown);
});

it('prints no secret of tokens', () => {
  const jwt = 'identity: { jwt: { secret: "s3cret-of-32-bytes-and-more-than-that", algorithms: [HS256] } }';
  const text = `listen: 8080\nroutes: [{ to: "http://a:1" }]\n${jwt}`;
  expect(printSettings(parseGatewaySettings(text, 'g.yaml', {}))).not.toContain('s3cret');
});
