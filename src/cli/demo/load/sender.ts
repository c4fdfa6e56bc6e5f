import { Pool } from 'undici';
import { DEADLINE_MS } from '../deadline.js';
import type { LoadOutcome } from './load-meter.js';
import type { PlannedRequest } from './request-plan.js';

/**
 * Whoever wanted the answer has left after the deadline; programs are set to wait for longer, and keep their connections.
 * With a guard the gateway answers in time, with 504 if with nothing else.
 */
const GIVE_UP_MS = 6 * DEADLINE_MS;

export type OnEnd = (outcome: LoadOutcome) => void;

/** Sends requests of all customers to the gateway, as many at once as there are. */
export class Sender {
  readonly #pool: Pool;
  inFlight = 0;

  constructor(origin: string) {
    this.#pool = new Pool(origin, {
      connections: null,
      pipelining: 1,
      headersTimeout: GIVE_UP_MS,
      bodyTimeout: GIVE_UP_MS,
    });
  }

  /** `dueMs` is when it should have been sent. Never throws; `onEnd` is called once. */
  send({ customer, criticality, path }: PlannedRequest, dueMs: number, onEnd: OnEnd): void {
    this.inFlight++;
    let status = 0;
    const end = (outcome: LoadOutcome) => {
      this.inFlight--;
      onEnd(outcome);
    };
    this.#pool.dispatch(
      {
        path,
        method: 'GET',
        headers: { 'x-api-key': customer.apiKey, 'x-request-criticality': criticality },
      },
      {
        onRequestStart() {},
        onResponseStart(_, given) {
          status = given;
        },
        onResponseData() {},
        onResponseEnd: () => end(outcomeOf(status, performance.now() - dueMs)),
        onResponseError: () => end(performance.now() - dueMs > DEADLINE_MS ? 'late' : 'failed'),
      },
    );
  }
}

export function outcomeOf(status: number, latencyMs: number): LoadOutcome {
  if (latencyMs > DEADLINE_MS || status === 504) return 'late';
  if (status === 200) return 'served';
  return status === 503 || status === 429 ? 'refused' : 'failed';
}
