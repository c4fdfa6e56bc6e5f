import { checkInteger } from '../core/check.js';

/** A client's number among its like, as long as it is held. */
export interface LeasedClientId {
  readonly id: number;
  release(): Promise<void> | void;
}

/** Gives out small numbers without gaps, as `deterministic` and `rocksteadier` subsets want them. */
export interface ClientIdSource {
  lease(): Promise<LeasedClientId>;
}

/** A StatefulSet's pods are numbered from 0. A longer number is the random end of another kind of pod's name. */
const ORDINAL = /^.+-(0|[1-9]\d{0,3})$/;

/** `Number` would take a blank for 0. */
const DIGITS = /^\d+$/;

/** What the environment says of this process's number: given by hand, or the ordinal of a StatefulSet's pod. */
export function clientIdOf(environment: Readonly<Record<string, string | undefined>>): number | undefined {
  const { PLIMSOLL_CLIENT_ID: given, HOSTNAME: hostname } = environment;
  if (given !== undefined && given !== '')
    return checkInteger('PLIMSOLL_CLIENT_ID', DIGITS.test(given) ? Number(given) : given, 0);
  const ordinal = ORDINAL.exec(hostname ?? '')?.[1];
  // Only a StatefulSet's name ends so inside of Kubernetes; elsewhere `web-2` may be anything.
  return ordinal === undefined || environment['KUBERNETES_SERVICE_HOST'] === undefined
    ? undefined
    : Number(ordinal);
}
