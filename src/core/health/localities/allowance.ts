export interface AllowanceOptions {
  /** Up to this utilization a locality is filled before the next one is used. */
  readonly targetUtilization: number;
  /** However busy a locality is, its allowance does not fall below this part of the traffic. */
  readonly probeShare: number;
  /** Half of the way down to an allowance that fits is gone in this time. */
  readonly fallMs: number;
  /** An allowance at most doubles in this time. */
  readonly growMs: number;
}

export const ALLOWANCE_DEFAULTS: AllowanceOptions = Object.freeze({
  // Erlang's C for 100 backends: at 0.9 a request waits 2 % of its service time on average, at 0.95 10 %, at 0.99 88 %.
  // The tenth that is left is for what reports cannot show: they are means, and a second old.
  targetUtilization: 0.9,
  // As in LOAD_AWARE_DEFAULTS: enough answers to see it recover.
  probeShare: 0.03,
  // A gain of 1/2 for each update, one a second. With reports that are d updates old, a loop stays stable up to a gain
  // of 2 sin(π / (4d + 2)): 1 for d = 1, 0.62 for d = 2. At 1/2 reports may be two seconds old.
  fallMs: 1_000,
  // A gain of 1/4, stable with reports five seconds old. Slower than the fall, because a detour costs a request
  // milliseconds, and an overload costs many requests their answer.
  growMs: 4_000,
});

/**
 * How large a part of the traffic a locality may take next, from what it took and how busy that made it. Utilization is
 * taken to grow in proportion to what is sent: `taken` gave `utilization`, so taken · target / utilization would have
 * given the target. If others send there too and do the same, all give way in the same proportion.
 *
 * Too busy: half of the way (in ratios) to what fits for each fallMs, starting from what was really taken when that was
 * less than allowed. Not too busy: growth by target / utilization for each growMs, at most doubling; never a fall,
 * because little traffic on an idle locality would "fit" only little. From a probe share of 3 % the way back to 1 takes
 * at most log2(1 / 0.03) = 5.06 · growMs = 20 s, as long as it is less than half as busy as its target.
 */
export function nextAllowance(
  allowance: number,
  utilization: number | undefined,
  taken: number,
  sinceMs: number,
  options: AllowanceOptions,
): number {
  const { targetUtilization, probeShare, fallMs, growMs } = options;
  if (utilization === undefined || utilization === targetUtilization) return allowance;
  const ratio = targetUtilization / utilization;
  if (ratio > 1) return Math.min(1, allowance * Math.min(2, ratio) ** (sinceMs / growMs));
  const from = Math.min(allowance, taken);
  const fitting = Math.min(from, taken * ratio);
  const gain = 1 - 0.5 ** (sinceMs / fallMs);
  return Math.max(probeShare, from * (fitting / from) ** gain);
}
