import { expect, it } from 'vitest';
import { SettingsError } from '../../config/index.js';
import { parseGatewaySettings } from './gateway-settings.js';
import { shownProblem } from './shown-problem.js';

const withRoute = (fields: string) => `listen: 8080\nroutes: [{ to: "http://a:1", ${fields} }]`;
const withField = (text: string) => `listen: 8080\nroutes: [{ to: "http://a:1" }]\n${text}`;

it.each([
  withRoute('requestHeaders: { set: { authorization: "Bearer s3cret\\u0001" } }'),
  'listen: 8080\nroutes: [{ to: "http://u:s3cret@a:1" }]',
  withField('admin: s3cret'),
  withField('identity: { apiKeys: { keys: { s3cret: acme } } }'),
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
  const shown = shownProblem((problem as Error).message);
  expect(shown).not.toMatch(/s3 ?cret/);
  expect(shown).toMatch(/^g\.yaml:\d+:\d+: /);
});

it('says where and what, and is not too long', () => {
  expect(shownProblem('g.yaml:3:5: routes[0].too: is not known, did you mean to?')).toBe(
    'g.yaml:3:5: routes[0].too: is not known, did you mean to?',
  );
  expect(shownProblem('cannot reach redis://bob:pass@host:6379')).toBe('cannot reach redis://***@host:6379');
  expect(shownProblem('x'.repeat(10_000))).toHaveLength(4_000);
});
