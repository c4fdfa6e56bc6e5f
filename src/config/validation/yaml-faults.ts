import { type Document, isScalar, visit, type YAMLMap } from 'yaml';

/** Something wrong at an offset of a text. */
export interface Fault {
  readonly offset: number;
  readonly text: string;
}

/** What the parser says in words of its own about mistakes that are common, in words that say what to do. */
const WORDS: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a second document begins here: write one file for each',
  TAB_AS_INDENT: 'tabs do not indent in YAML: write spaces',
  TAG_RESOLVE_FAILED: 'tags are not known here: leave it out',
  NON_STRING_KEY: 'a key must be text',
};

/** What a text is wrong in before anybody looks at what it means. */
export function yamlFaults(document: Document.Parsed, text: string): Fault[] {
  const bare = bareVariable(document, text);
  // The braces of what has no quotes are taken for a mapping: all that the parser says after it comes of that.
  if (bare !== undefined) return [bare];
  // An unknown tag is only a warning to the parser.
  const faults = [...document.errors, ...document.warnings].map(({ pos, code, message }) => ({
    offset: pos[0],
    text: WORDS[code] ?? message,
  }));
  const { version, explicit } = document.directives.yaml;
  // There `no` is false and `0777` is 511: who writes that for others to read should be told.
  if (explicit && version !== '1.2')
    faults.push({ offset: 0, text: `YAML ${version} is not read: leave that line out` });
  visit(document, {
    Alias: (_, alias, around) => {
      const meant = alias.resolve(document);
      const offset = alias.range![0];
      if (meant === undefined) faults.push({ offset, text: `there is no &${alias.source} before this` });
      // It would have no end.
      else if (around.includes(meant)) faults.push({ offset, text: 'stands for what it is a part of' });
    },
    Map: (_, map) => {
      faults.push(...faultsOfKeys(map));
    },
  });
  return faults;
}

/** `{ token: ${TOKEN} }`: within braces and brackets a value ends where one of them begins. */
function bareVariable({ errors: [first] }: Document.Parsed, text: string): Fault | undefined {
  const at = first?.pos[0] ?? 0;
  if (text[at] !== '{' || text[at - 1] !== '$') return undefined;
  const [variable] = /^\$\{[^}\n]*\}?/.exec(text.slice(at - 1))!;
  return { offset: at - 1, text: `${variable} needs quotes within braces and brackets: write "${variable}"` };
}

/** The parser could find keys that are there twice, but compares each with each. */
function faultsOfKeys({ items }: YAMLMap): Fault[] {
  const seen = new Set<unknown>();
  return items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    const offset = key.range![0];
    // As a key of an object it is none: what stands there would be lost in silence.
    if (key.value === '__proto__') return [{ offset, text: '"__proto__" cannot be a name here' }];
    if (seen.has(key.value)) return [{ offset, text: 'is here for the second time: leave one of them out' }];
    seen.add(key.value);
    return [];
  });
}
