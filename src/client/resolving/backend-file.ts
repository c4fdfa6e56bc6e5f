import { Lexer, Parser, parseDocument } from 'yaml';

/** Three are needed, and each is some of the parser's own. */
const MOST_LEVELS = 50;

/**
 * The entries of a file, JSON or YAML: a list, or an object with the list `backends`. Anything else throws with the
 * reason, an empty file too: there are no backends only if it says `[]`.
 */
export function parseBackendFile(text: string): readonly unknown[] {
  if (text.trim() === '') throw new Error('it is empty');
  const value = parse(text);
  const entries = typeof value === 'object' && value !== null && 'backends' in value ? value.backends : value;
  if (!Array.isArray(entries)) {
    throw new Error('it must be a list of backends, or an object with the list "backends"');
  }
  return entries;
}

function parse(text: string): unknown {
  // JSON is YAML too, but read as such ten thousand backends take half a second.
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(text);
  }
}

function parseYaml(text: string): unknown {
  if (isNestedTooDeeply(text)) throw new Error('it is nested too deeply');
  const document = parseDocument(text, { prettyErrors: false, resolveKnownTags: false, stringKeys: true });
  // An unknown tag is only a warning to the parser.
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault !== undefined) {
    const line = text.slice(0, fault.pos[0]).split('\n').length;
    throw new Error(`line ${line}: ${fault.message}`);
  }
  // Aliases of aliases multiply, and a list of backends needs none.
  return document.toJS({ maxAliasCount: 0 });
}

/** What reads the parser's output recurses, and a text of opening brackets would end the process, not throw. */
function isNestedTooDeeply(text: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme)); // It works only while somebody asks.
    if (parser.stack.length > MOST_LEVELS) return true;
  }
  return false;
}
