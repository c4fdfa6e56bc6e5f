import { useEffect, useRef, useState } from 'preact/hooks';
import type { PolicyName } from '../../../src/core/picking/index.js';
import { EXAMPLE_FLEET } from './example-fleet.js';
import type { Choice, Subject } from './protocol.js';
import { fromFragment } from './share.js';

/** What stands in the form. Text of a fleet stays there while a built-in scenario is looked at. */
export interface Draft {
  /** Undefined: the fleet of one's own. */
  readonly scenario: string | undefined;
  readonly fleetText: string;
  /** As typed: it may be none. */
  readonly seedText: string;
  readonly policies: readonly PolicyName[];
}

/** Outlives the form: whoever looks at another part of the page meanwhile finds what they wrote. */
let kept: Draft = { scenario: 'plateau', fleetText: EXAMPLE_FLEET, seedText: '0', policies: [] };

export function subjectOf({ scenario, fleetText }: Draft): Subject {
  return scenario === undefined ? { kind: 'fleet', text: fleetText } : { kind: 'scenario', name: scenario };
}

/** The form, filled in from the address of the page when that is a link to a simulation: now, and when it changes. */
export function useDraft(): [Draft, (changes: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(kept);
  const change = (changes: Partial<Draft>) => {
    kept = { ...kept, ...changes };
    setDraft(kept);
  };
  const latest = useRef('');
  useEffect(() => {
    const restore = async () => {
      const { hash } = location;
      latest.current = hash;
      const choice = await fromFragment(hash);
      // Unpacking takes a moment: the address may be another one by now.
      if (choice !== undefined && latest.current === hash) change(draftOf(choice));
    };
    void restore();
    addEventListener('hashchange', restore);
    return () => removeEventListener('hashchange', restore);
  }, []);
  return [draft, change];
}

function draftOf({ subject, seed, policies }: Choice): Partial<Draft> {
  const common = { seedText: String(seed), policies };
  return subject.kind === 'scenario'
    ? { ...common, scenario: subject.name }
    : { ...common, scenario: undefined, fleetText: subject.text };
}
