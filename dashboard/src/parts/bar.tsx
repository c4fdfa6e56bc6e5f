import { toneOf } from '../text/tones.js';

interface BarProps {
  readonly value: number | undefined;
  /** Where the bar is full. */
  readonly full?: number;
  readonly text: string;
  readonly tone?: string;
}

/** A number, and how much that is. */
export function Bar({ value, full = 1, text, tone }: BarProps) {
  const share = value === undefined ? 0 : Math.max(0, Math.min(1, value / full));
  return (
    <span class="bar">
      <span class="bar-track" aria-hidden="true">
        <span
          class={`bar-fill c-${tone ?? toneOf(value)}`}
          style={{ width: `${(100 * share).toFixed(1)}%` }}
        />
      </span>
      <span class="num">{text}</span>
    </span>
  );
}
