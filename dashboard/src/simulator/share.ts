import { POLICY_NAMES, type PolicyName } from '../../../src/core/picking/index.js';
import { seedOf } from '../../../src/simulations/seed.js';
import { pack, unpack } from './packing.js';
import type { Choice, Subject } from './protocol.js';

/** The part of the page that a fragment is about, and what begins every link to a simulation. */
const PREFIX = '/simulator';

/** What chats and mail still take for one link; a fleet of some 20 kB fits. */
const MOST_LETTERS = 8_000;

/** Of a fleet's text, here and in the editor: a hundred services. */
export const MOST_TEXT = 100_000;

const SCENARIO_NAME = /^[a-z0-9-]{1,50}$/;

/** `/simulator?scenario=plateau&seed=7`; undefined when it would be too long for a link. */
export async function toFragment({ subject, seed, policies }: Choice): Promise<string | undefined> {
  const parts = new URLSearchParams();
  if (subject.kind === 'scenario') parts.set('scenario', subject.name);
  else parts.set('fleet', await pack(subject.text));
  parts.set('seed', String(seed));
  if (policies.length > 0) parts.set('policies', policies.join(' '));
  const fragment = `${PREFIX}?${parts}`;
  return fragment.length <= MOST_LETTERS ? fragment : undefined;
}

/** The choice that a link stands for; undefined when it is none. Anybody may have written it. */
export async function fromFragment(fragment: string): Promise<Choice | undefined> {
  if (fragment.length > MOST_LETTERS) return undefined;
  const [prefix, query, ...rest] = fragment.replace(/^#?\/?/, '/').split('?');
  if (prefix !== PREFIX || query === undefined || rest.length > 0) return undefined;
  const parts = new URLSearchParams(query);
  const subject = await subjectOf(parts);
  const seed = seedOf(parts.get('seed') ?? '0');
  const policies = policiesOf(parts.get('policies') ?? '');
  if (subject === undefined || seed === undefined || policies === undefined) return undefined;
  return { subject, seed, policies };
}

async function subjectOf(parts: URLSearchParams): Promise<Subject | undefined> {
  const name = parts.get('scenario');
  if (name !== null) return SCENARIO_NAME.test(name) ? { kind: 'scenario', name } : undefined;
  const packed = parts.get('fleet');
  const text = packed === null ? undefined : await unpack(packed, MOST_TEXT);
  return text === undefined ? undefined : { kind: 'fleet', text };
}

function policiesOf(text: string): PolicyName[] | undefined {
  const names = text.split(' ').filter((name) => name !== '');
  const known = POLICY_NAMES.filter((policy) => names.includes(policy));
  return known.length === names.length ? known : undefined;
}
