import type { Decision } from '../data/snapshot.js';
import { duration, ratio } from './format.js';
import { reasonName } from './reasons.js';

/** In one sentence: why somebody was refused, with the numbers of that moment. */
export function whyRefused(decision: Decision): string {
  const { isOnlyReported, retryAfterMs } = decision;
  const again = retryAfterMs === undefined ? '' : ` Room again in ${duration(retryAfterMs)}.`;
  const dry = isOnlyReported ? ' It was let in: this guard only reports.' : '';
  return `${reasonSentence(decision)}${again}${dry}`;
}

function reasonSentence(decision: Decision): string {
  const { reason, criticality = 'this criticality', customer, service, limit, key } = decision;
  switch (reason) {
    case 'utilization':
      return `${fullness(decision)}, and ${criticality} is refused from ${ratio(decision.refuseFrom)} on.`;
    case 'queue':
      return `It would have waited too long: ${queue(decision)}.`;
    case 'evicted':
      return `It waited, and what is more critical took its place: ${queue(decision)}.`;
    case 'quota':
      return `${customer ?? 'Its customer'} has used up its quota, and ${criticality} goes first.`;
    case 'deadline':
    case 'PLIMSOLL_DEADLINE':
      return 'Its deadline had passed: nobody waits for the answer.';
    case 'not-ready':
      return 'The process was still starting, or at the end of its drain: any other is better.';
    case 'limited':
      return `${limit ?? 'A rate limit'} has nothing left${key === undefined ? '' : ` for ${key}`}.`;
    case 'unknown':
      return 'The route is for callers that are known, and this one is not.';
    case 'unverified':
      return 'The route is for callers that are known, and the keys to verify its token cannot be had.';
    case 'no-route':
      return 'No route is for it.';
    case 'PLIMSOLL_THROTTLED':
      return `Backends${of(service)} refuse so much that part of it is not even sent.`;
    case 'PLIMSOLL_NO_BACKEND':
      return `No backend${of(service)} can take requests.`;
    case 'PLIMSOLL_ALL_BUSY':
      return `All backends${of(service)} have as many requests as they may, and it has waited long enough.`;
    case 'PLIMSOLL_NO_CAPACITY':
      return `No locality${of(service)} has room.`;
    case 'PLIMSOLL_OVERLOADED':
    case 'PLIMSOLL_DONT_RETRY':
      return `Backends${of(service)} refused it, and asking others would not help.`;
    case 'PLIMSOLL_STORE_UNAVAILABLE':
      return 'The store that limits count in does not answer, and its rule refuses then.';
    default:
      return `${sentenceCase(reasonName(reason))}.`;
  }
}

function fullness({ signal, utilization }: Decision): string {
  return `${sentenceCase(signal ?? 'utilization')} was at ${ratio(utilization)} of its target`;
}

function queue({ waiting, inFlight, concurrencyLimit }: Decision): string {
  const limit = concurrencyLimit === undefined ? '' : `, at most ${Math.floor(concurrencyLimit)} run at once`;
  return `${waiting ?? 0} waiting, ${inFlight ?? 0} in flight${limit}`;
}

function of(service: string | undefined): string {
  return service === undefined ? '' : ` of ${service}`;
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
