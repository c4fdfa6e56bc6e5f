// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what variables look like in a file.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { expand } from './environment.js';
import { parseSettings } from './parse-settings.js';
import { SettingsError } from './settings-error.js';

const VARIABLES = { HOST: 'db', PORT: '5432', EMPTY: '', PIN: '0123', SECRET: 'hunter2hunter2', ON: 'true' };

describe('variables in a text', () => {
  it.each([
    ['plain', 'plain'],
    ['${HOST}', 'db'],
    ['tcp://${HOST}:${PORT}/x', 'tcp://db:5432/x'],
    ['${MISSING:-other}', 'other'],
    ['${MISSING:-}', ''],
    ['${EMPTY:-other}', 'other'],
    ['${HOST:-other}', 'db'],
    ['${EMPTY}', ''],
    ['$${HOST}', '${HOST}'],
    ['$$${HOST}', '$${HOST}'],
    ['$HOST $$ {HOST}', '$HOST $$ {HOST}'],
    ['${MISSING:-a:-b}', 'a:-b'],
  ])('%s is %s', (text, expanded) => {
    expect(expand(text, VARIABLES)).toBe(expanded);
  });

  it('say when they are not there', () => {
    expect(expand('${A}${HOST}${B}', VARIABLES)).toEqual([
      'the environment has no A: set it, or write ${A:-otherwise}',
      'the environment has no B: set it, or write ${B:-otherwise}',
    ]);
    expect(expand('${constructor}', VARIABLES)).toHaveLength(1);
  });

  it.each(['${}', '${1A}', '${A-b}', '${HOST', '${A:=b}', '${HOST }'])('are not written %s', (text) => {
    expect(expand(text, VARIABLES)).toEqual([
      `must be like \${NAME} or \${NAME:-otherwise}, or $\${ for the characters, got ${text}`,
    ]);
  });
});

describe('variables in a file', () => {
  const SCHEMA = z.strictObject({
    port: z.int().max(9_999).optional(),
    isOn: z.boolean().optional(),
    password: z.string().max(20).optional(),
    list: z.array(z.union([z.number(), z.string()])).optional(),
  });
  const parse = (text: string, environment: Record<string, string | undefined> | undefined = VARIABLES) =>
    parseSettings(text, SCHEMA, 'x.yaml', { environment });
  const problems = (text: string, environment?: Record<string, string>) => {
    try {
      return [parse(text, environment)];
    } catch (error) {
      expect(error).toBeInstanceOf(SettingsError);
      return (error as Error).message.split('\n');
    }
  };

  it('are filled in, as if what they are stood there', () => {
    expect(parse('port: ${PORT}\nisOn: ${ON}\npassword: ${SECRET}\n')).toEqual({
      port: 5432,
      isOn: true,
      password: 'hunter2hunter2',
    });
    expect(parse('list: ["${PORT}", "x${PORT}"]\n').list).toEqual(['5432', 'x5432']);
    expect(parse('list:\n  - ${PORT}\n  - ${PORT}${PORT}\n').list).toEqual([5432, '54325432']);
  });

  it('are text where text is wanted', () => {
    expect(parse('password: ${PIN}\nport: ${PORT}\n')).toEqual({ password: '0123', port: 5432 });
    expect(parse('password: ${ON}\n')).toEqual({ password: 'true' });
  });

  it('are left alone unless they are asked for, and in keys', () => {
    expect(parseSettings('password: ${HOST}\n', SCHEMA, 'x')).toEqual({ password: '${HOST}' });
    expect(problems('${HOST}: 1\n')).toEqual([
      expect.stringContaining('x.yaml:1:1: ["${HOST}"]: is not known'),
    ]);
  });

  it('that are not there are said with their place, all of them', () => {
    expect(problems('port: ${A}\nlist:\n  - 1\n  - "${B"\n')).toEqual([
      'x.yaml:1:7: the environment has no A: set it, or write ${A:-otherwise}',
      expect.stringMatching(/^x\.yaml:4:5: must be like .*, got \$\{B$/),
    ]);
  });

  it('are not told to whoever reads what is wrong', () => {
    expect(problems('port: ${SECRET}\n')).toEqual([
      'x.yaml:1:7: port: must be a whole number <= 9999, got ${SECRET}',
    ]);
    const long = 'x'.repeat(50);
    expect(problems('password: ${LONG}\n', { LONG: long })).toEqual([
      'x.yaml:1:11: password: must be text of at most 20 characters, got ${LONG}',
    ]);
    expect(problems('port: ${PORT}\n', { PORT: '65536' })).toEqual([
      expect.stringMatching(/^x\.yaml:1:7: port: must be .*, got \$\{PORT\}$/),
    ]);
    const telling = z.strictObject({
      a: z.string().refine(() => false, { error: ({ input }) => `${input} is bad` }),
    });
    const tell = () => parseSettings('a: my ${SECRET}\n', telling, 'x', { environment: VARIABLES });
    expect(tell).toThrow(/^x:1:4: a: my \$\{SECRET\} is bad$/);
  });

  it('are not told by way of an alias either', () => {
    expect(problems('list:\n  - &a ${PIN}\nport: *a\n', { PIN: '1.5' })).toEqual([
      expect.stringMatching(/^x\.yaml:3:7: port: must be a whole number .*, got \$\{PIN\}$/),
    ]);
  });

  it('do not make less wrong what is wrong anyway', () => {
    expect(problems('port: ${PIN}\npassword: 5\n', { PIN: '99999' })).toEqual([
      expect.stringMatching(/^x\.yaml:1:7: port: must be a whole number .*, got \$\{PIN\}$/),
      'x.yaml:2:11: password: must be text of at most 20 characters, got 5',
    ]);
  });
});
