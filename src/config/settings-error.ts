/** Something that is wrong with a file. */
export interface SettingsProblem {
  /** From 1; undefined for what has no place in the text, like a file that is not there. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** `services.web.backends[2].count`; empty when it is the whole file, or not yet YAML. */
  readonly path: string;
  /** What must be, and what to write instead. */
  readonly text: string;
}

/** A file that is wrong all over is not a list to be worked off. */
const MOST_PROBLEMS = 50;

/** A file that cannot be used, with everything that is wrong with it: as data, and as the lines of its message. */
export class SettingsError extends Error {
  /** What the file is called. */
  readonly file: string;
  /** From top to bottom, 50 at the most. */
  readonly problems: readonly SettingsProblem[];
  /** How many there are besides. */
  readonly more: number;

  constructor(file: string, problems: readonly SettingsProblem[], options?: ErrorOptions) {
    const first = problems.slice(0, MOST_PROBLEMS);
    const more = problems.length - first.length;
    const lines = first.map((problem) => describeProblem(file, problem));
    super([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'), options);
    this.name = 'SettingsError';
    this.file = file;
    this.problems = first;
    this.more = more;
  }
}

/** `quota.yaml:3:5: customers.gmail: …`, as editors and terminals understand it. */
export function describeProblem(file: string, { line, column, path, text }: SettingsProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return [place, path, text].filter((part) => part !== '').join(': ');
}
