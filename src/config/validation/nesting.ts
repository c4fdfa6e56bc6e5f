import { Lexer, Parser } from 'yaml';

/**
 * Where the mappings and lists of a text lie deeper within each other than allowed; undefined when they never do. The
 * parser keeps a stack of its own; what is made of its output is made by recursion, and ends the process when thousands
 * of brackets are opened.
 */
export function deeperThan(text: string, most: number): number | undefined {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    // What it yields is not wanted here, but it works only while somebody asks.
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > most) return Math.min(parser.offset, text.length);
  }
  return undefined;
}
