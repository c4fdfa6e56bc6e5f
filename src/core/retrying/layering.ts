import type { Outcome } from '../outcome.js';
import type { RetryVerdict } from './decide-retry.js';

/** How a request ended for the layer above, when one that it caused below ended badly and is not retried. */
export type OutcomeAbove = Exclude<Outcome, 'task-overloaded' | 'connect-failed' | 'broken'>;

/**
 * What this layer's caller should be told. An overload becomes "don't retry" whichever kind it was: this layer was
 * the one right above, and its retries are over. The rest is a matter of this layer's own: its caller did reach it
 * and did get an answer, so a broken connection further down is a failure like any other.
 */
const ABOVE: Readonly<Record<Outcome, OutcomeAbove>> = Object.freeze({
  answered: 'answered',
  failed: 'failed',
  'task-overloaded': 'overloaded-no-retry',
  'overloaded-no-retry': 'overloaded-no-retry',
  limited: 'limited',
  'connect-failed': 'failed',
  broken: 'failed',
  aborted: 'aborted',
});

/**
 * SRE ch. 21, Figure 21-2: only the layer right above the one that refuses retries, else three attempts at each of four
 * layers make 81 at the bottom. So a layer answers its own caller with this, or with a degraded response if it has one;
 * a handler that lets the overload pass unhandled is answered for in the same way.
 *
 * Undefined while the verdict is to retry: there is nothing to tell yet.
 */
export function outcomeForAbove(outcome: Outcome, verdict: Exclude<RetryVerdict, 'retry'>): OutcomeAbove;
export function outcomeForAbove(outcome: Outcome, verdict: RetryVerdict): OutcomeAbove | undefined;
export function outcomeForAbove(outcome: Outcome, verdict: RetryVerdict): OutcomeAbove | undefined {
  return verdict === 'retry' ? undefined : ABOVE[outcome];
}
