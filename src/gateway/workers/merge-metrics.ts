/** A metric, with all of its series. */
interface Family {
  readonly about: string[];
  readonly series: string[];
}

/** `# HELP name …` and `# TYPE name …`. */
const ABOUT = /^# (?:HELP|TYPE) (\S+)/;
const NAME = /^[a-zA-Z_:][\w:]*/;

/**
 * Metrics of several workers as one text (Prometheus, format 0.0.4): what a metric is about is said once, its series are
 * together as the format wants them, and each says which worker it is of.
 */
export function mergeMetrics(byWorker: ReadonlyMap<string, string>): string {
  const families = new Map<string, Family>();
  for (const [worker, text] of byWorker) addText(families, worker, text);
  const lines = [...families.values()].flatMap(({ about, series }) => [...about, ...series]);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function addText(families: Map<string, Family>, worker: string, text: string): void {
  const seen = new Set<string>();
  let current = '';
  for (const line of text.split('\n')) {
    const about = ABOUT.exec(line)?.[1];
    if (about !== undefined) {
      current = about;
      // Whoever was the first has said it; it says it on two lines.
      if (!families.has(about)) seen.add(about);
      const family = familyOf(families, about);
      if (seen.has(about)) family.about.push(line);
    } else if (line !== '' && !line.startsWith('#')) {
      const name = NAME.exec(line)?.[0];
      // A histogram's series have longer names than the metric itself.
      if (name !== undefined)
        familyOf(families, name.startsWith(current) && current !== '' ? current : name).series.push(
          labelled(line, name, worker),
        );
    }
  }
}

function familyOf(families: Map<string, Family>, name: string): Family {
  let family = families.get(name);
  if (family === undefined) {
    family = { about: [], series: [] };
    families.set(name, family);
  }
  return family;
}

/** Labels begin right behind the name. */
function labelled(line: string, name: string, worker: string): string {
  const rest = line.slice(name.length);
  const label = `worker="${worker}"`;
  if (!rest.startsWith('{')) return `${name}{${label}}${rest}`;
  return rest.startsWith('{}') ? `${name}{${label}${rest.slice(1)}` : `${name}{${label},${rest.slice(1)}`;
}
