import { createInPlaceAlgorithm, type RateDecision, SeededRandom } from 'plimsoll/core';
import type { Check, Report } from './report.js';

const SOURCES = 20_000;
const SECONDS = 1_800;
const LIMIT = { limit: 50, windowMs: 60_000 };

/** Where the first window begins; any multiple of the window. */
const BEGIN_MS = 1_800_000_000_000;
const END_MS = BEGIN_MS + SECONDS * 1_000;

/** Of the traffic that the figure is about: 0.003 % in the original, on requests of 270,000 real sources. */
const MOST_WRONG_PERCENT = 0.01;

/** Requests a minute of each source. */
type Traffic = (source: number, random: SeededRandom) => number;

/** Most are far below the limit, and one in a thousand is far above it. */
const ordinary: Traffic = (source, random) => (source % 1_000 === 999 ? 1_000 : 1 + 29 * random.next());

/** All of them just below the limit: as many are on either side of it as there can be. */
const atTheLimit: Traffic = () => 45;

interface Counted {
  requests: number;
  refused: number;
  wronglyAllowed: number;
  wronglyRefused: number;
  /** By the counter, and by the log. */
  allowed: number;
  rightlyAllowed: number;
  /** Sum over requests of how far the two estimates of what is used lie apart, in parts of the exact one. */
  difference: number;
}

/**
 * How often the sliding window counter, which assumes that the previous window's requests came evenly, decides otherwise than
 * the log of all of them. Both see the same arrivals, each with a state of its own.
 *
 * The figure was taken with all requests counted: the question is then whether a source is above the limit, and both answer
 * it about the same thing. Where only what passes counts, as is the default here, a source far above the limit gets
 * as much from both, but not by the same requests: those are wrong one by one, and right in sum.
 */
export function benchWindowError(): Report {
  const rows = [
    rowOf('most far below the limit, 0.1 % far above', ordinary, true),
    rowOf('most far below the limit, 0.1 % far above', ordinary, false),
    rowOf('all just below the limit', atTheLimit, true),
    rowOf('all just below the limit', atTheLimit, false),
  ];
  const { traffic, counted, '% wrong': wrong } = rows[0]!;
  const check: Check = {
    name: `${traffic}, ${counted}: % of decisions that are wrong`,
    value: wrong,
    bound: `<= ${MOST_WRONG_PERCENT}`,
    holds: wrong <= MOST_WRONG_PERCENT,
  };
  return { bench: 'window-error', rows, checks: [check] };
}

function rowOf(traffic: string, rates: Traffic, countsRefused: boolean) {
  const sums = countErrors(rates, countsRefused);
  const percent = (part: number) => Number(((100 * part) / sums.requests).toPrecision(3));
  return {
    traffic,
    counted: countsRefused ? 'all that come' : 'those that pass',
    requests: sums.requests,
    '% refused': percent(sums.refused),
    '% wrongly allowed': percent(sums.wronglyAllowed),
    '% wrongly refused': percent(sums.wronglyRefused),
    '% wrong': percent(sums.wronglyAllowed + sums.wronglyRefused),
    'mean difference %': percent(sums.difference),
    'passed, to the log': Number((sums.allowed / sums.rightlyAllowed).toFixed(5)),
  };
}

function countErrors(rates: Traffic, countsRefused: boolean): Counted {
  const random = new SeededRandom(1);
  const counter = createInPlaceAlgorithm({ algorithm: 'sliding-counter', ...LIMIT });
  const log = createInPlaceAlgorithm({ algorithm: 'sliding-log', ...LIMIT, countRefused: countsRefused });
  const sums: Counted = {
    requests: 0,
    refused: 0,
    wronglyAllowed: 0,
    wronglyRefused: 0,
    allowed: 0,
    rightlyAllowed: 0,
    difference: 0,
  };
  // Sources share nothing, so one after the other is the same as all at once.
  for (let source = 0; source < SOURCES; source++) {
    const meanMs = 60_000 / rates(source, random);
    const counts = new Float64Array(counter.width);
    const entries: number[] = [];
    const drawMs = () => -meanMs * Math.log(1 - random.next());
    for (let now = BEGIN_MS + drawMs(); now < END_MS; now += drawMs()) {
      const said = counter.takeAt(counts, 0, now, 1);
      // The counter has no option for it: what it refuses is charged.
      if (countsRefused && !said.allowed) counter.chargeAt(counts, 0, now, 1);
      count(sums, said, log.takeAt(entries, 0, now, 1));
    }
  }
  return sums;
}

function count(sums: Counted, said: RateDecision, truth: RateDecision): void {
  sums.requests++;
  if (said.allowed) sums.allowed++;
  if (truth.allowed) sums.rightlyAllowed++;
  else sums.refused++;
  if (said.allowed && !truth.allowed) sums.wronglyAllowed++;
  if (!said.allowed && truth.allowed) sums.wronglyRefused++;
  sums.difference += Math.abs(truth.remaining - said.remaining) / (LIMIT.limit - truth.remaining);
}
