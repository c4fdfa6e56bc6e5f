/**
 * How bad it is to refuse a request (SRE ch. 21, "Criticality"). It says nothing about how fast an answer is needed:
 * suggestions while one types are urgent and sheddable. It orders work only when there is too much of it.
 */
export type Criticality =
  /** The most important ones: to refuse them is seen by users at once. */
  | 'CRITICAL_PLUS'
  /** The default. Seen by users too; provision for all of these and those above. */
  | 'CRITICAL'
  /** Partly unavailable is acceptable; batch jobs, which try again minutes later. */
  | 'SHEDDABLE_PLUS'
  /** Often partly, sometimes wholly unavailable. */
  | 'SHEDDABLE';

/** Least critical first: what is refused first. A criticality's place here is its rank. */
export const CRITICALITIES = ['SHEDDABLE', 'SHEDDABLE_PLUS', 'CRITICAL', 'CRITICAL_PLUS'] as const;

export const DEFAULT_CRITICALITY: Criticality = 'CRITICAL';

const RANKS: Readonly<Record<Criticality, number>> = Object.freeze({
  SHEDDABLE: 0,
  SHEDDABLE_PLUS: 1,
  CRITICAL: 2,
  CRITICAL_PLUS: 3,
});

/** 0 for SHEDDABLE … 3 for CRITICAL_PLUS. */
export function criticalityRank(criticality: Criticality): number {
  return RANKS[criticality];
}

/** From a header or configuration: upper or lower case, with `-` or `_`. Undefined for anything else. */
export function parseCriticality(text: string): Criticality | undefined {
  // Longer than any of them is none of them, however long it is; and only plain letters are letters here ('ı' is no I).
  if (text.length > 32 || !/^[\sA-Za-z_-]*$/.test(text)) return undefined;
  const word = text.trim().toUpperCase().replaceAll('-', '_');
  return Object.hasOwn(RANKS, word) ? (word as Criticality) : undefined;
}
