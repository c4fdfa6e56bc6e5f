interface SparklineProps {
  /** Oldest first; undefined is a gap. */
  readonly values: readonly (number | undefined)[];
  readonly colour: string;
}

const WIDTH = 120;
const HEIGHT = 28;
/** A minute: what is longer ago is in the charts. */
const MOST = 60;

/** The last minute at a glance. The number beside it says the same to whoever does not see it. */
export function Sparkline({ values, colour }: SparklineProps) {
  const shown = values.slice(-MOST);
  return (
    <svg
      class={`spark c-${colour}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={pathOf(shown)} />
    </svg>
  );
}

export function pathOf(values: readonly (number | undefined)[]): string {
  const highest = Math.max(1e-9, ...values.flatMap((value) => value ?? []));
  const offset = MOST - values.length;
  let isOpen = false;
  return values
    .map((value, i) => {
      if (value === undefined) {
        isOpen = false;
        return '';
      }
      const x = ((offset + i) / (MOST - 1)) * WIDTH;
      const y = HEIGHT - 2 - (value / highest) * (HEIGHT - 4);
      const step = `${isOpen ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
      isOpen = true;
      return step;
    })
    .join('');
}
