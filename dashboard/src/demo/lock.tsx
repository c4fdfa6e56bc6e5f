import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { confirmed } from '../parts/confirm.js';
import { isUnlocked, setUnlocked } from './unlocked.js';

const QUESTION =
  'Change things in the running demo? From then on each control acts at once, and for everybody who looks at this demo: load, costs, customers, slow backends, policies. What hurts (lame duck, kill, restart, guards) asks once more. It holds until this tab is closed.';

interface LockProps {
  readonly token: string | undefined;
  readonly children: ComponentChildren;
}

/**
 * Nothing is changed by somebody who only looks around: one yes for all controls, since a question at each move of a slider
 * would be answered without being read.
 */
export function Lock({ token, children }: LockProps) {
  const [, redraw] = useState(0);
  const isOpen = isUnlocked(token, sessionStorage);
  const turn = async () => {
    if (token === undefined || (!isOpen && !(await confirmed(QUESTION, 'Let me change things')))) return;
    setUnlocked(token, !isOpen, sessionStorage);
    redraw((count) => count + 1);
  };
  return (
    <>
      <div class="lock">
        <button type="button" class="button" disabled={token === undefined} onClick={() => void turn()}>
          {isOpen ? 'Lock the controls' : 'Let me change things …'}
        </button>
        <p class="hint" id="lock-state" role="status">
          {stateOf(token, isOpen)}
        </p>
      </div>
      <fieldset
        class="control-groups"
        disabled={!isOpen}
        aria-labelledby="demo-title"
        aria-describedby="lock-state"
      >
        {children}
      </fieldset>
    </>
  );
}

function stateOf(token: string | undefined, isOpen: boolean): string {
  if (token === undefined) return 'Open this page with the token that the demo has printed to turn these.';
  return isOpen ? 'Controls act at once.' : 'Controls are locked: look around, nothing will change.';
}
