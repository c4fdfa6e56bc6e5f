import { formatDuration } from '../../simulations/report/duration.js';
import { formatCompact } from '../../simulations/report/numbers.js';
import type { Progress } from '../../simulator/scenarios/scenario.js';

const BAR_WIDTH = 24;

/** Ten times a second looks smooth, and drawing costs nothing then. */
const REDRAW_MS = 100;

/** Back to the start of the line, and all of it deleted. */
const CLEAR = '\r\u001b[K';

/** `figure-20-6  ━━━━━━──────   42 %  2.4 M events/s  12 s left`. */
export function formatProgress(label: string, { share, events }: Progress, elapsedMs: number): string {
  const done = Math.min(1, Math.max(0, share));
  const filled = Math.floor(done * BAR_WIDTH);
  const bar = '━'.repeat(filled) + '─'.repeat(BAR_WIDTH - filled);
  const percent = String(Math.floor(done * 100)).padStart(3);
  const rate = elapsedMs > 0 ? `  ${formatCompact((events * 1_000) / elapsedMs)} events/s` : '';
  const left = done > 0 ? `  ${formatDuration((elapsedMs * (1 - done)) / done)} left` : '';
  return `${label}  ${bar} ${percent} %${rate}${left}`;
}

export interface ProgressTarget {
  /** Writes to the terminal at once. */
  write(text: string): void;
  readonly columns: number;
  nowMs(): number;
}

/** One line of a terminal that is drawn again and again, and gone when all is done. */
export class ProgressLine {
  readonly #label: string;
  readonly #target: ProgressTarget;
  readonly #startMs: number;
  #drawnMs: number;
  #isDrawn = false;

  constructor(label: string, target: ProgressTarget) {
    this.#label = label;
    this.#target = target;
    this.#startMs = target.nowMs();
    // What takes less than a moment shows nothing at all.
    this.#drawnMs = this.#startMs;
  }

  update(progress: Progress): void {
    const nowMs = this.#target.nowMs();
    if (nowMs - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = nowMs;
    this.#isDrawn = true;
    const text = formatProgress(this.#label, progress, nowMs - this.#startMs);
    // A line that wraps could not be deleted any more.
    this.#target.write(CLEAR + text.slice(0, this.#target.columns - 1));
  }

  clear(): void {
    if (this.#isDrawn) this.#target.write(CLEAR);
    this.#isDrawn = false;
  }
}
