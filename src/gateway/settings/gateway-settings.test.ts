import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SettingsError } from '../../config/index.js';
import { OVERFLOW_DEFAULTS } from '../../rate-limit/queueing/index.js';
import { FULL_EXAMPLE } from './full-example.contract.js';
import { gatewayJsonSchema, parseGatewaySettings, printSettings } from './gateway-settings.js';

const THREE_LINES = 'listen: 8080\nroutes:\n  - to: http://127.0.0.1:3000\n';

function problemsOf(text: string, environment = {}): string[] {
  try {
    parseGatewaySettings(text, 'g.yaml', environment);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split('\n');
  }
}

describe('settings of a gateway', () => {
  it('are three lines at least', () => {
    const settings = parseGatewaySettings(THREE_LINES);
    expect(settings.listen).toEqual([{ address: '8080', http2: false }]);
    expect(settings.routes[0]).toMatchObject({ name: '/*', path: '/*', to: 'http://127.0.0.1:3000' });
  });

  it('share no queue with applications that have one on the same Redis', () => {
    expect(parseGatewaySettings(THREE_LINES).queue.name).not.toBe(OVERFLOW_DEFAULTS.name);
  });

  it('are all that the example shows', () => {
    expect(problemsOf(FULL_EXAMPLE)).toEqual([]);
    const schema = gatewayJsonSchema() as { properties: object };
    const settings = parseGatewaySettings(FULL_EXAMPLE, 'g.yaml', {});
    // What is not in the example nobody finds.
    expect(Object.keys(schema.properties).filter((key) => !FULL_EXAMPLE.includes(`\n${key}:`))).toEqual([]);
    expect(Object.keys(settings.services)).toHaveLength(6);
  });

  it('say what holds without Redis', () => {
    const text = `${THREE_LINES}    limits: [{ name: a, rate: 1/s }, { name: b, rate: 1/s, localShare: 0.5 }]`;
    const [a, b] = parseGatewaySettings(text).routes[0]!.limits;
    expect(a).toMatchObject({ onStoreFailure: 'allow' });
    expect(b).not.toHaveProperty('onStoreFailure');
  });

  it.each([
    ['', { timeout: '25s', spread: '3s' }],
    ['drain: { timeout: 1s }', { timeout: '1s', spread: '1s' }],
    ['drain: { timeout: 5s, spread: 5000ms }', { timeout: '5s', spread: '5000ms' }],
  ])('end in the time that there is: %j', (text, drain) => {
    expect(parseGatewaySettings(`${THREE_LINES}${text}`).drain).toEqual(drain);
  });

  it('can be printed and read again', () => {
    for (const text of [THREE_LINES, FULL_EXAMPLE]) {
      const settings = parseGatewaySettings(text, 'g.yaml', {});
      const printed = printSettings(settings);
      const { admin, ...again } = parseGatewaySettings(
        printed.replace(/(token: ).*/, '$10123456789abcdef'),
        'printed',
        {},
      );
      expect(again).toEqual({ ...settings, admin: undefined });
      expect(admin === false).toBe(settings.admin === false);
    }
  });

  it('print no secrets', () => {
    const text = `${THREE_LINES}redis: redis://me:\${PASSWORD}@10.0.0.1:6379/2
admin:
  token: \${TOKEN}
identity:
  jwt:
    secret: \${SECRET}`;
    const secrets = { PASSWORD: 'hunter2-hunter2', TOKEN: 'a-token-of-16-letters', SECRET: 's'.repeat(40) };
    const printed = printSettings(parseGatewaySettings(text, 'g.yaml', secrets));
    for (const secret of Object.values(secrets)) expect(printed).not.toContain(secret);
    expect(printed).toContain('redis://***@10.0.0.1:6379/2');
    expect(printed.match(/\*\*\*/g)).toHaveLength(3);
  });
});

describe('what is wrong with settings', () => {
  const routes = (yaml: string) =>
    `listen: 8080\nservices:\n  users: { backends: [http://a:1] }\nroutes:\n${yaml}\n`;

  it.each([
    ['listen: 8080\n', 'g.yaml:1:1: routes: is missing, must be a list of 1 to 5000 entries'],
    [`${THREE_LINES}servces: {}`, 'g.yaml:4:1: servces: is not known, did you mean services?'],
    [
      THREE_LINES.replace('8080', '80800'),
      'g.yaml:1:9: listen: must be a whole number from 0 to 65535, got 80800',
    ],
    [
      THREE_LINES.replace('8080', 'here'),
      'g.yaml:1:9: listen: must be a port, or an address like "127.0.0.1:8080", got "here"',
    ],
    [routes('  - to: usrs'), 'g.yaml:5:9: routes[0].to: is no service, did you mean users?'],
    [routes('  - to: http://a:1/path'), 'g.yaml:5:9: routes[0].to: must be the name of a service'],
    [routes('  - { to: users, tiemout: 5s }'), 'routes[0].tiemout: is not known, did you mean timeout?'],
    [routes('  - { to: users, timeout: 5 }'), 'routes[0].timeout: must be a duration like'],
    [routes('  - { to: users, timeout: 100d }'), 'of a day at most, got "100d"'],
    [
      routes('  - { to: users, name: a, path: /a }\n  - { to: users, name: a }'),
      'g.yaml:6:24: routes[1].name: is the name of routes[0]',
    ],
    [
      routes('  - to: users\n  - { to: users, path: /a }'),
      'g.yaml:6:5: routes[1]: is never reached: routes[0]',
    ],
    [
      routes('  - { to: users, path: /u/:id, rewrite: /v/:no }'),
      'routes[0].rewrite: must have holes of path only, which has :id, got :no',
    ],
    [routes('  - { to: users, path: /u, rewrite: /v/* }'), 'routes[0].rewrite: must have no *'],
    [routes('  - { to: users, path: /a/../b }'), 'routes[0].path: must be a path that is read in one way'],
    [routes('  - { to: users, path: "/a/{id}" }'), 'g.yaml:5:24: routes[0].path: must have holes like :id'],
    [routes('  - { to: users, limits: [few] }'), 'routes[0].limits[0]: is no limit'],
    [routes('  - { to: users, identity: required }'), 'routes[0].identity: lets nobody in'],
    [
      routes('  - { to: users, criticality: { default: CRITICAL, max: SHEDDABLE } }'),
      'criticality.max: must be CRITICAL at least',
    ],
    [routes('  - { to: users, limits: [{ rate: 5/min }] }'), 'routes[0].limits[0].name: is missing'],
    [
      routes('  - { to: users, limits: [{ name: a, rate: 5/min, key: "jwt:sub" }] }'),
      'key: needs identity.jwt',
    ],
    [
      routes(
        '  - { to: users, limits: [{ name: a, rate: 5/min, onStoreFailure: refuse, localShare: 0.5 }] }',
      ),
      'limits[0].onStoreFailure: must not be given beside localShare, which is instead of it, got "refuse"',
    ],
    [routes('  - { to: users, requestHeaders: { set: { host: x } } }'), 'must not change "host"'],
    [`${THREE_LINES}limits: { few: { rate: 5/min } }`, 'limits.few: limits nobody'],
    [
      routes(
        '  - { to: users, limits: [{ name: a, rate: 5/min, onLimit: queue, algorithm: leaking-bucket }] }',
      ),
      'onLimit: needs redis',
    ],
    [
      `redis: "redis://r"\n${routes('  - { to: users, batch: {}, limits: [{ name: a, rate: 5/min, onLimit: queue, algorithm: leaking-bucket }] }')}`,
      'onLimit: must not queue on a route of a batch',
    ],
    [
      `redis: "redis://r"\nlimits: { a: { rate: 5/min, onLimit: queue, algorithm: leaking-bucket } }\n${routes('  - { to: users, batch: {}, limits: [a] }')}`,
      'limits[0]: must not queue on a route of a batch',
    ],
    [
      routes('  - { to: users, limits: [{ name: a, rate: 5/min, onLimit: queue }] }'),
      'algorithm: must be leaking-bucket',
    ],
    [
      `${THREE_LINES}drain: { timeout: 2s, spread: 1min }`,
      'g.yaml:4:31: drain.spread: must be 2s at most, as long as the whole may take, got 1min',
    ],
    [`${THREE_LINES}admin: { address: 9901 }`, 'g.yaml:4:8: admin: needs a token where others can reach it'],
    [`${THREE_LINES}admin: { token: short }`, 'admin.token: must have 16 characters'],
    [
      `${THREE_LINES}admin: { address: ":8080", token: 0123456789abcdef }`,
      'admin.address: listens where listen[0] does',
    ],
    [THREE_LINES.replace('8080', '[8080, 8080]'), 'listen[1]: listens where listen[0] does'],
    [THREE_LINES.replace('8080', '[8080, "127.0.0.1:8080"]'), 'listen[1]: listens where listen[0] does'],
    [THREE_LINES.replace('8080', '[8080, { address: ":8080" }]'), 'listen[1]: listens where listen[0] does'],
    [
      THREE_LINES.replace('8080', '[1, "[::1]:8080", "[::]:8080"]'),
      'listen[2]: listens where listen[1] does',
    ],
    [`${THREE_LINES}admin: { address: "127.0.0.1:8080" }`, 'admin.address: listens where listen[0] does'],
    [THREE_LINES.replace('8080', '{ address: 8443, tls: { cert: c.pem } }'), 'listen.tls.key: is missing'],
    [
      THREE_LINES.replace('8080', '{ address: 8443, tls: { cert: c, key: k, clientCert: required } }'),
      'clientCert: needs clientCa',
    ],
    [
      `${THREE_LINES}identity: { mtls: { customers: { "DNS:a": a } } }`,
      'identity.mtls: needs a listener with tls.clientCa',
    ],
    [`${THREE_LINES}identity: { apiKeys: { keys: { secret: acme } } }`, 'must be the hash of a key'],
    [
      `${THREE_LINES}identity: { jwt: { claim: sub } }`,
      'one of jwt.secret, jwt.publicKey and jwt.jwksUrl must be given',
    ],
    [`${THREE_LINES}redis: redis//me:hunter2@x`, 'redis: must be a URL like redis://'],
    [`${THREE_LINES}trustedProxies: [10.0.0.0/33]`, 'trustedProxies[0]: must be a network like "10.0.0.0/8"'],
    ['listen: 1\nservices: { a: { backends: [] } }\nroutes: [{ to: a }]', 'services.a.backends: must be'],
    [
      'listen: 1\nservices: { a: { backends: [http://a, http://a:80] } }\nroutes: [{ to: a }]',
      'services.a: backends must be distinct',
    ],
    [
      'listen: 1\nservices: { a: { backends: [http://a], tls: { cert: c } } }\nroutes: [{ to: a }]',
      'services.a.tls: key is missing',
    ],
    [
      'listen: 1\nservices: { a: { backends: { dns: "http://10.0.0.1:80" } } }\nroutes: [{ to: a }]',
      'must have a name to look up',
    ],
    [
      'listen: 1\nservices: { a: { backends: [http://a], subset: { size: 2, algorithm: deterministic } } }\nroutes: [{ to: a }]',
      'need a clientId',
    ],
    [
      routes('  - to: https://a:0'),
      'g.yaml:5:9: routes[0].to: backends[0]: url must be an http or https origin',
    ],
    [
      routes('  - { to: users, limits: [{ name: a, rate: 5/min, cost: 6 }] }'),
      'limits[0].cost: must be 5 at most, or nothing ever passes, got 6',
    ],
    [
      routes('  - { to: users, limits: [{ name: a, rate: 5/min, burst: 2, cost: 3, algorithm: gcra }] }'),
      'limits[0].cost: must be 2 at most',
    ],
    [
      routes('  - { to: users, limits: [{ name: a, rate: 5/min, key: [route, customer] }] }'),
      'limits[0].key: counts all together',
    ],
    [
      routes('  - { to: users, methods: [TRACE] }'),
      'methods[0]: must be a method like GET; CONNECT and TRACE',
    ],
    [
      routes('  - { to: users, methods: [GET, FETCH] }'),
      'routes[0].methods[1]: must be a method like GET; CONNECT and TRACE are never passed on, got "FETCH"',
    ],
    [routes('  - { to: users, methods: [get] }'), 'routes[0].methods[0]: must be a method like GET'],
    [
      'listen: 1\nservices: { a: { backends: [http://a, { url: http://b }], localities: { own: eu } } }\nroutes: [{ to: a }]',
      'services.a.localities.own: needs backends with a zone',
    ],
    [
      'listen: 1\nservices: { a: { backends: [http://a], http2: true, health: { mode: http } } }\nroutes: [{ to: a }]',
      'services.a.health.mode: must be udp or auto with http2',
    ],
    [
      'listen: 1\nservices: { a: { backends: [http://a], http2: true, health: { path: /healthz } } }\nroutes: [{ to: a }]',
      'services.a.health.path: cannot be asked for with http2',
    ],
    [
      'listen: 1\nservices: { a: { backends: [http://a], health: { path: healthz } } }\nroutes: [{ to: a }]',
      'services.a.health.path: must be a path that begins with a slash',
    ],
  ])('%j', (text, problem) => {
    expect(problemsOf(text).join('\n')).toContain(problem);
  });

  it.each([
    ['services: { a: { backends: [http://a], activeLimit: 0 } }', 'services.a.activeLimit'],
    ['services: { a: { backends: [http://a], subset: { size: 0 } } }', 'services.a.subset.size'],
    ['services: { a: { backends: [http://a], retry: { attempts: 0 } } }', 'services.a.retry.attempts'],
    ['services: { a: { backends: [http://a], throttle: { k: 0.5 } } }', 'services.a.throttle.k'],
    ['services: { a: { backends: ["127.0.0.1:3000"] } }', 'services.a.backends[0]'],
    ['identity: { jwt: { secret: short, claim: "" } }', 'identity.jwt.claim'],
  ])('is said once, where it stands: %j', (text, path) => {
    const problems = problemsOf(`${THREE_LINES}${text}`);
    expect(problems).toEqual([expect.stringMatching(/^g\.yaml:\d+:\d+: \S+: must be /)]);
    expect(problems[0]).toContain(` ${path}: `);
  });

  it.each([
    ['batch: { mostPerSecond: 0 }', 'batch.mostPerSecond'],
    ['batch: { job: foo }', 'batch.job'],
    ['limits: [{ name: a, rate: 5/min, localShare: 5 }]', 'limits[0].localShare'],
    ['path: users, rewrite: /v', 'path'],
  ])('is said once, where it stands in a route: %j', (fields, path) => {
    const problems = problemsOf(routes(`  - { to: users, ${fields} }`));
    expect(problems).toEqual([expect.stringContaining(` routes[0].${path}: must `)]);
  });

  it('does not show what a Redis is opened with', () => {
    expect(problemsOf(`${THREE_LINES}redis: redis//me:hunter2@x`).join('')).not.toContain('hunter2');
  });
});

it('are all in the documentation', () => {
  const page = readFileSync(new URL('../../../docs/gateway.md', import.meta.url), 'utf8');
  const fields = new Set<string>();
  const visit = (schema: unknown) => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const name of Object.keys((schema as { properties?: object }).properties ?? {})) fields.add(name);
    for (const part of Object.values(schema)) visit(part);
  };
  visit(gatewayJsonSchema());
  expect(fields.size).toBeGreaterThan(80);
  expect([...fields].filter((field) => !new RegExp(`\\b${field}\\b`).test(page))).toEqual([]);
});
