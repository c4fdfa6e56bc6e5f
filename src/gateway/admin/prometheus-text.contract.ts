/** What one line of a metric says. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)/;

/**
 * Reads Prometheus' text format 0.0.4 as strictly as it is written: types before samples and once, names and labels that
 * are names, known escapes alone, counters that end in _total and are no less than 0, no series twice, a line's end at
 * the end. Throws with the line that is wrong.
 */
export function parsePrometheus(text: string): Map<string, Family> {
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>();
  const seen = new Set<string>();
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const helps = new Map<string, string>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const wrong = (why: string) => new Error(`${why}: ${JSON.stringify(line)}`);
    if (line.startsWith('#')) {
      const [, kind, name = '', rest = ''] = /^# (HELP|TYPE|UNIT) (\S+) (.*)$/.exec(line) ?? [];
      if (kind === undefined || !NAME.test(name)) throw wrong('no comment of a kind that is known');
      if (kind === 'HELP' && helps.has(name)) throw wrong('helped twice');
      if (kind === 'HELP') helps.set(name, rest);
      if (kind !== 'TYPE') continue;
      if (families.has(name)) throw wrong('typed twice');
      if (!['counter', 'gauge', 'histogram', 'summary', 'untyped'].includes(rest)) throw wrong('no type');
      if (rest === 'counter' && !name.endsWith('_total')) throw wrong('a counter that is no _total');
      families.set(name, { type: rest, help: helps.get(name) ?? '', samples: [] });
      current = name;
      continue;
    }
    const [, name = '', , labels = '', number = ''] = /^([^\s{]+)(\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!NAME.test(name)) throw wrong('no name');
    const family = families.get(name);
    if (family === undefined || name !== current) throw wrong('not right after its type');
    const value = number === '+Inf' ? Infinity : number === '-Inf' ? -Infinity : Number(number);
    if (Number.isNaN(value) && number !== 'NaN') throw wrong('no number');
    if (family.type === 'counter' && !(value >= 0)) throw wrong('a counter below 0');
    const sample = { name, labels: readLabels(labels, wrong), value };
    const key = `${name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
    if (seen.has(key)) throw wrong('a series twice');
    seen.add(key);
    family.samples.push(sample);
  }
  return families;
}

function readLabels(text: string, wrong: (why: string) => Error): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const [whole, value] = LABEL.exec(rest) ?? [];
    if (whole === undefined || value === undefined) throw wrong('no label');
    const name = rest.slice(0, rest.indexOf('='));
    if (Object.hasOwn(labels, name)) throw wrong('a label twice');
    labels[name] = value.replaceAll(/\\(.)/g, (_, letter) => (letter === 'n' ? '\n' : letter));
    rest = rest.slice(whole.length);
  }
  return labels;
}

/** The value of the one series with these labels; undefined when there is none. */
export function seriesValue(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  return families
    .get(name)
    ?.samples.find((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )?.value;
}
