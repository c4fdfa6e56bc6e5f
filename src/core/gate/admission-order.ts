import { checkOneOf, checkWithin } from '../check.js';
import { CRITICALITIES } from '../criticality.js';
import { isExpired } from '../deadline.js';
import { QuotaSuspension } from '../quota/quota-suspension.js';
import type { GateParts, GateState } from './gate-parts.js';
import { NOT_READY, OVER_QUOTA, type Refusal, SHED_BY_UTILIZATION, TOO_LATE } from './refusal.js';
import type { GateRequest } from './ticket.js';

/** What is asked of an arrival before it may wait for its turn, in its order: lame duck · deadline · quota · thresholds. */
export class AdmissionOrder {
  state: GateState = 'ready';
  readonly #parts: GateParts;
  readonly #suspension: QuotaSuspension | undefined;

  constructor(parts: GateParts) {
    this.#parts = parts;
    const { quotaFrom, thresholds } = parts;
    if (quotaFrom === undefined) return;
    checkWithin('quotaFrom', quotaFrom, 0, thresholds.ranges[0]!.refuseFrom);
    this.#suspension = new QuotaSuspension(quotaFrom);
  }

  decide(request: GateRequest, now: number): 'admit' | 'degrade' | Refusal {
    const { quota, thresholds, signal, advice, queuePressure } = this.#parts;
    const { customer, criticality, order } = request;
    const refusal = this.#refusedByItself(request, now);
    if (refusal !== undefined) return refusal;
    // Read once: at the latest with the reading that would shed somebody, quotas count.
    let utilization: number | undefined;
    if (quota !== undefined) {
      if (this.#suspension !== undefined) {
        utilization = signal.utilization(now);
        quota.isSuspended = this.#suspension.isSuspended(utilization, now);
      }
      if (quota.admit(customer, criticality, order, now) === 'refuse') return OVER_QUOTA;
    }
    const decision = thresholds.decide(criticality, utilization ?? signal.utilization(now), order);
    queuePressure.onDecision(criticality, decision !== 'refuse');
    if (decision === 'refuse') {
      quota?.cancel(customer, criticality, now, quota.assumed);
      return SHED_BY_UTILIZATION[advice.errorFor(now)];
    }
    return decision;
  }

  /** The same for one that waits in a line of its own: how loaded it is here does not keep it out. */
  refusalAside(request: GateRequest, now: number): Refusal | undefined {
    const { customer, criticality, order } = request;
    const refusal = this.#refusedByItself(request, now);
    if (refusal !== undefined) return refusal;
    return this.#parts.quota?.admit(customer, criticality, order, now) === 'refuse' ? OVER_QUOTA : undefined;
  }

  /** What does not depend on how much there is to do. */
  #refusedByItself({ criticality, deadlineMs, attempt }: GateRequest, now: number): Refusal | undefined {
    checkOneOf('criticality', criticality, CRITICALITIES);
    if (this.state === 'starting' || this.state === 'closed') return NOT_READY;
    if (isExpired(deadlineMs, now)) return TOO_LATE;
    this.#parts.advice.onArrival(attempt, now);
    return undefined;
  }
}
