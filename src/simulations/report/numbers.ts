/** Numbers as people read them. */

/** A column whose values differ by more than this has no number of decimals that suits them all. */
const WIDEST_COLUMN = 1_000;

/** Shares of 99.99 % and of 99.9 % are different promises, but beyond this nobody counts nines. */
const MOST_PERCENT_DECIMALS = 4;

export function groupThousands(digits: string, separator = ' '): string {
  const [whole, fraction] = digits.split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, separator);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Digits after the point that show so many significant ones: 2 for 1.53, none for 153, 4 for 0.0153. */
export function decimalsFor(value: number, significant: number): number {
  if (value === 0 || !Number.isFinite(value)) return 0;
  const decimals = significant - 1 - Math.floor(Math.log10(Math.abs(value)));
  return Math.min(12, Math.max(0, decimals));
}

/** Whole numbers in full, others with three significant digits, or with so many decimals. */
export function formatNumber(value: number, decimals?: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '?' : value > 0 ? '∞' : '-∞';
  // Nothing at all is told apart from next to nothing.
  if (value === 0) return '0';
  if (decimals === undefined && Number.isInteger(value)) return groupThousands(String(value));
  return groupThousands(value.toFixed(decimals ?? decimalsFor(value, 3)));
}

/** How the numbers of one column are written: with as many decimals each, so that their points stand in a line. */
export function columnFormat(values: readonly number[]): (value: number) => string {
  const decimals = commonDecimals(values);
  return (value) => formatNumber(value, decimals);
}

/** The same for shares, as percent. */
export function percentFormat(shares: readonly number[]): (share: number) => string {
  const percents = shares.map(toPercent);
  const common = commonDecimals(percents);
  const decimals = common === undefined ? undefined : Math.max(common, ...percents.map(decimalsBelowHundred));
  return (share) => `${formatNumber(toPercent(share), decimals)} %`;
}

/** `2.4 M`, `340 k`, `87`. */
export function formatCompact(value: number): string {
  // 999,500 rounds to a million, and so on.
  if (value >= 999.5e6) return `${scaled(value / 1e9)} G`;
  if (value >= 999.5e3) return `${scaled(value / 1e6)} M`;
  if (value >= 999.5) return `${scaled(value / 1e3)} k`;
  return String(Math.round(value));
}

function scaled(value: number): string {
  return value.toFixed(value < 9.95 ? 1 : 0);
}

/** A share may be 0.07, and 0.07 * 100 is 7.000000000000001. */
function toPercent(share: number): number {
  return Number((share * 100).toPrecision(12));
}

function commonDecimals(values: readonly number[]): number | undefined {
  const sizes = values.filter((value) => value !== 0 && Number.isFinite(value)).map(Math.abs);
  if (sizes.every(Number.isInteger)) return 0;
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  if (most / least >= WIDEST_COLUMN) return undefined;
  return Math.max(decimalsFor(most, 3), decimalsFor(least, 2));
}

/** Enough to see how far a share is from all. */
function decimalsBelowHundred(percent: number): number {
  const missing = 100 - percent;
  return Math.abs(missing) >= 1 ? 0 : Math.min(MOST_PERCENT_DECIMALS, decimalsFor(missing, 1));
}
