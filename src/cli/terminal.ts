import type { ProgressTarget } from './report/progress.js';

/** Where a command writes, so that tests can read it. */
export interface Terminal {
  /** A line of the output. */
  print(line: string): void;
  /** A line for people, beside the output. */
  note(line: string): void;
  /** How wide a table may be. */
  readonly width: number;
  /** Undefined when nobody is watching. */
  readonly progress: ProgressTarget | undefined;
  /** For durations. */
  nowMs(): number;
}

/** Wide enough for most tables, and still a line of an editor. */
const WIDTH_OF_FILES = 120;
const WIDTH_UNKNOWN = 80;

export function processTerminal({ stdout, stderr } = process): Terminal {
  const nowMs = () => performance.now();
  return {
    print: (line) => console.log(line),
    note: (line) => console.error(line),
    width: stdout.isTTY ? columnsOf(stdout) : WIDTH_OF_FILES,
    progress: stderr.isTTY
      ? { write: (text) => void stderr.write(text), columns: columnsOf(stderr), nowMs }
      : undefined,
    nowMs,
  };
}

/** A terminal that does not know its width says 0. */
function columnsOf({ columns }: { readonly columns: number }): number {
  return columns > 0 ? columns : WIDTH_UNKNOWN;
}
