import { expect, it } from 'vitest';
import { parseSettings, SettingsError } from '../../config/index.js';
import { parseGatewaySettings } from './gateway-settings.js';
import { apiKeyTable } from './identity-schema.js';
import { shownProblem } from './shown-problem.js';

const withRoute = (fields: string) => `listen: 8080\nroutes: [{ to: "http://a:1", ${fields} }]`;
const withField = (text: string) => `listen: 8080\nroutes: [{ to: "http://a:1" }]\n${text}`;

it.each([
  withRoute('requestHeaders: { set: { authorization: "Bearer s3cret\\u0001" } }'),
  'listen: 8080\nroutes: [{ to: "http://u:s3cret@a:1" }]',
  withField('admin: s3cret'),
  withField('identity: { apiKeys: { keys: { s3cret: acme } } }'),
  withField('admin: { s3cret }'),
  withField('admin: { token: s3cret }'),
  withField('redis: http://s3cret'),
  withField('identity: s3cret'),
  withField('identity: { header: s3cret }'),
  withField('identity: { apiKeys: { s3cret: acme } }'),
  withField('identity: { jwt: s3cret }'),
  withRoute('headers: s3cret'),
  withRoute('headers: { x-a: [s3cret] }'),
  withRoute('requestHeaders: s3cret'),
  withRoute('answerHeaders: { set: s3cret }'),
  withField('identity: { apiKeys: { keys: { "s3 cret.s3cret": acme, s3cret2: acme } } }'),
  withField('identity: { apiKeys: { keys: s3cret } }'),
])('does not repeat what stands in %s', (text) => {
  let problem: unknown;
  try {
    parseGatewaySettings(text, 'g.yaml', {});
  } catch (error) {
    problem = error;
  }
  expect(problem).toBeInstanceOf(SettingsError);
  const { message } = problem as Error;
  // As it is said by `plimsoll check` and on the standard error; and in logs and events.
  for (const said of [message, shownProblem(message)]) {
    expect(said).not.toMatch(/s3 ?cret/);
    expect(said).toMatch(/^g\.yaml:\d+:\d+: /);
  }
});

it('does not repeat a key that is in a file of keys as it is', () => {
  expect(() => parseSettings('s3cret: acme\n', apiKeyTable, 'keys.yaml')).toThrow(
    /^keys\.yaml:1:1: \*\*\*: the name must be the hash of a key like "sha256:9f86…", 64 hex digits$/,
  );
  expect(() => parseSettings('s3cret', apiKeyTable, 'keys.yaml')).toThrow(
    /^keys\.yaml:1:1: must be a mapping$/,
  );
});

it('says where and what, and is not too long', () => {
  expect(shownProblem('g.yaml:3:5: routes[0].too: is not known, did you mean to?')).toBe(
    'g.yaml:3:5: routes[0].too: is not known, did you mean to?',
  );
  expect(shownProblem('cannot reach redis://bob:pass@host:6379')).toBe('cannot reach redis://***@host:6379');
  expect(shownProblem('x'.repeat(10_000))).toHaveLength(4_000);
});
