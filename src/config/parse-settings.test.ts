import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseSettings, topKeys } from './parse-settings.js';
import { SettingsError } from './settings-error.js';

const SCHEMA = z.strictObject({
  durationMs: z.number().positive(),
  services: z.record(
    z.string(),
    z.strictObject({
      backends: z.union([z.int().min(1).max(100_000), z.array(z.strictObject({ count: z.int() }))]),
      policy: z.enum(['prequal', 'weighted']).default('prequal'),
    }),
  ),
});

/** The problems of a text, a line each. */
function problems(text: string, schema: z.ZodType = SCHEMA): string[] {
  try {
    parseSettings(text, schema, 'fleet.yaml');
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message.split('\n');
  }
  return [];
}

describe('a fleet', () => {
  it('is read with its defaults', () => {
    expect(parseSettings('durationMs: 5\nservices:\n  web: { backends: 3 }\n', SCHEMA, 'x')).toEqual({
      durationMs: 5,
      services: { web: { backends: 3, policy: 'prequal' } },
    });
  });

  it('may be JSON, with tabs', () => {
    const text = '{\n\t"durationMs": 5,\n\t"services": {\n\t\t"web": { "backends": 3 }\n\t}\n}';
    expect(parseSettings(text, SCHEMA, 'x')).toMatchObject({ durationMs: 5 });
  });

  it('may use an anchor again', () => {
    const text = 'durationMs: 5\nservices:\n  a: &a { backends: 3 }\n  b: *a\n';
    expect(parseSettings(text, SCHEMA, 'x').services['b']).toEqual({ backends: 3, policy: 'prequal' });
  });
});

describe('what is wrong with a fleet', () => {
  it('is said with line and column, all of it, from top to bottom', () => {
    const text = `durationMs: soon
services:
  web:
    bakends: 3
    policy: prequel
  api:
    backends:
      - count: 1
      - count: two
  "a b":
    backends:
`;
    expect(problems(text)).toEqual([
      'fleet.yaml:1:13: durationMs: must be a number > 0, got "soon"',
      'fleet.yaml:3:3: services.web.backends: is missing, must be a whole number from 1 to 100000 or a list',
      'fleet.yaml:4:5: services.web.bakends: is not known, did you mean backends?',
      'fleet.yaml:5:13: services.web.policy: must be one of "prequal", "weighted", got "prequel"',
      'fleet.yaml:9:16: services.api.backends[1].count: must be a whole number, got "two"',
      'fleet.yaml:11:5: services["a b"].backends: must be a whole number from 1 to 100000 or a list, got nothing',
    ]);
  });

  it.each([
    [`{ a: 1, token: \${TOK} }`, '1:16'],
    [`a: [\${TOK}, \${TOK}]\nb: "\${TOK}"\n`, '1:5'],
    [`a: { b: x\${TOK}, c: 1 }\n`, '1:10'],
  ])('may be a variable without quotes: %j', (text, place) => {
    expect(problems(text)).toEqual([
      `fleet.yaml:${place}: \${TOK} needs quotes within braces and brackets: write "\${TOK}"`,
    ]);
  });

  it('may be that it is no fleet at all', () => {
    expect(problems('')).toEqual(['fleet.yaml:1:1: must be a mapping, got nothing']);
    expect(problems('- 1\n')).toEqual(['fleet.yaml:1:1: must be a mapping, got a list of 1']);
  });

  it('is not repeated forever', () => {
    const text = Array.from({ length: 60 }, (_, at) => `k${at}: 1`).join('\n');
    const lines = problems(text, z.strictObject({}));
    expect(lines).toHaveLength(51);
    expect(lines.slice(-2)).toEqual(['fleet.yaml:50:1: k49: is not known', 'and 10 more']);
  });
});

describe('any text', () => {
  const VARIABLE = '$' + '{A}';
  const marks = [
    ': ',
    '\n',
    ' ',
    '  ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    "'",
    '|',
    '>',
    '? ',
    '#',
    '%',
    '\t',
    '\r',
  ];
  const words = [
    'a',
    'b',
    '1',
    '~',
    '<<',
    '&a ',
    '*a',
    '!x ',
    '---\n',
    '...',
    VARIABLE,
    '\u0000',
    '😀',
    '__proto__',
  ];
  const text = fc
    .array(fc.constantFrom(...marks, ...words), { maxLength: 25 })
    .map((parts) => parts.join(''));
  const schema = z.record(z.string(), z.union([z.string(), z.array(z.number())]));

  it('is read, or refused with places that are in it', () => {
    let read = 0;
    fc.assert(
      fc.property(text, (given) => {
        expect(topKeys(given)).toBeInstanceOf(Array);
        try {
          parseSettings(given, schema, 'x', { environment: { A: '1' } });
          read++;
        } catch (error) {
          expect(error).toBeInstanceOf(SettingsError);
          for (const { line, column } of (error as SettingsError).problems) {
            expect(line).toBeLessThanOrEqual(given.split('\n').length);
            expect(column).toBeGreaterThanOrEqual(1);
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(read).toBeGreaterThan(0);
  });
});

describe('what YAML does not allow, or we do not', () => {
  it.each([
    ['a: 1\na: 2\n', 'fleet.yaml:2:1: is here for the second time: leave one of them out'],
    ['a: [1\n', 'fleet.yaml:2:1: Flow sequence in block collection must be sufficiently indented'],
    ['a: !secret 1\n', 'fleet.yaml:1:4: tags are not known here: leave it out'],
    ['a: !!binary aGVsbG8=\n', 'fleet.yaml:1:4: tags are not known here'],
    ['a: 1\n---\nb: 2\n', 'fleet.yaml:2:1: a second document begins here: write one file for each'],
    ['? [a]\n: 1\n', 'fleet.yaml:1:3: a key must be text'],
    ['a: *nothing\n', 'fleet.yaml:1:4: there is no &nothing before this'],
    ['['.repeat(100_000), 'fleet.yaml:1:101: is nested too deeply'],
    [`a: 1\n${'- '.repeat(200)}a\n`, 'fleet.yaml:2:'],
    ['a:\n  - __proto__: 3\n', 'fleet.yaml:2:5: "__proto__" cannot be a name here'],
    ['a: &a [*a]\n', 'fleet.yaml:1:8: stands for what it is a part of'],
    ['%YAML 1.1\n---\na: no\n', 'fleet.yaml:1:1: YAML 1.1 is not read: leave that line out'],
    ['a:\n\tb: 3\n', 'fleet.yaml:2:1: tabs do not indent in YAML: write spaces'],
  ])('%# is refused', (text, message) => {
    expect(problems(text, z.any())[0]).toContain(message);
  });

  it('includes lists of lists of lists of aliases', () => {
    const lists = 'bcdefgh'.split('').map((name, at) => {
      const below = String.fromCharCode(name.charCodeAt(0) - 1);
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${at === 0 ? 'a' : below}`).join(', ')}]`;
    });
    const text = ['a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]', ...lists].join('\n');
    expect(problems(text, z.any())).toEqual([
      'fleet.yaml:1:1: anchors are used more than 100 times: write it out',
    ]);
  });

  it('does not hide faults of schemas', () => {
    const faulty = z.any().refine(() => {
      throw new Error('a fault');
    });
    expect(() => parseSettings('a: 1', faulty, 'x')).toThrow('a fault');
  });
});
