import { type Criticality, parseCriticality } from '../core/index.js';

/** W3C Baggage: whoever passes it on has to carry this much, and nobody more. */
export const MOST_BAGGAGE = 8_192;

/** Our member: services that know nothing of us pass baggage on, as every tracing library does. */
const KEY = 'criticality';

const COMMA = 0x2c;
const EQUALS = 0x3d;

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Where the member with our key begins at or after `from`, the blanks before it included; -1 when there is none. */
function findMember(baggage: string, from: number): number {
  for (let at = baggage.indexOf(KEY, from); at >= 0; at = baggage.indexOf(KEY, at + 1)) {
    let before = at;
    while (before > from && isBlank(baggage.charCodeAt(before - 1))) before--;
    let after = at + KEY.length;
    while (isBlank(baggage.charCodeAt(after))) after++;
    const begins = before === 0 || baggage.charCodeAt(before - 1) === COMMA;
    if (begins && baggage.charCodeAt(after) === EQUALS) return before;
  }
  return -1;
}

function endOfMember(baggage: string, from: number): number {
  const comma = baggage.indexOf(',', from);
  return comma < 0 ? baggage.length : comma;
}

/** What the baggage says: a criticality, `malformed`, or nothing. No more than the first 8,192 characters are read. */
export function criticalityInBaggage(baggage: string): Criticality | 'malformed' | undefined {
  const text = baggage.length > MOST_BAGGAGE ? baggage.slice(0, MOST_BAGGAGE) : baggage;
  const at = findMember(text, 0);
  if (at < 0) return undefined;
  const value = text.slice(text.indexOf('=', at) + 1, endOfMember(text, at));
  const properties = value.indexOf(';');
  return parseCriticality(properties < 0 ? value : value.slice(0, properties)) ?? 'malformed';
}

/** The baggage without our member. */
function withoutCriticality(baggage: string): string {
  let kept = baggage;
  for (let at = findMember(kept, 0); at >= 0; at = findMember(kept, at)) {
    const end = endOfMember(kept, at);
    // With the comma after it, or, when it is the last one, the comma before it.
    kept = end < kept.length ? kept.slice(0, at) + kept.slice(end + 1) : kept.slice(0, Math.max(0, at - 1));
  }
  return kept;
}

/**
 * The baggage with our member set to `criticality`, all others as they were. Where it would grow beyond what others
 * have to carry, ours is left out: the header of its own says the same, and somebody's member would be lost.
 */
export function baggageWith(baggage: string, criticality: Criticality): string {
  const member = `${KEY}=${criticality}`;
  if (baggage === '') return member;
  const others = withoutCriticality(baggage.slice(0, MOST_BAGGAGE));
  if (others.trim() === '') return member;
  return others.length + 1 + member.length > MOST_BAGGAGE ? others : `${others},${member}`;
}
