import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SettingsError } from '../config/index.js';
import { QuotaEnforcement } from '../core/index.js';
import { CUSTOMER_WORDS } from '../wire/index.js';
import { parseQuotaFile, QUOTA_FILE_KEYS, quotaJsonSchema } from './quota-file.js';

const FILE = `service: search
unit: cpu
customers:
  gmail: { cpu: 4000 }
  android: { cpu: 3000, upTo: { CRITICAL: 2000, SHEDDABLE: 500 } }
  batch: { cpu: 30/min }
  internal: { cpu: unlimited, upTo: { SHEDDABLE: 1 per second } }
everyoneElse: { cpu: 500 }
enforce: when-overloaded
`;

/** The problems of a text, a line each. */
function problems(text: string): string[] {
  try {
    parseQuotaFile(text, 'q.yaml');
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message.split('\n');
  }
  return [];
}

/** Those of customers, in a file that is right otherwise. */
const ofCustomers = (text: string) => problems(`everyoneElse: { cpu: 5 }\ncustomers:\n  ${text}\n`);

describe('a file of quotas', () => {
  it('says what customers may use', () => {
    expect(parseQuotaFile(FILE)).toEqual({
      service: 'search',
      unit: 'cpu',
      limits: {
        customers: [
          { customer: 'gmail', perSecond: 4_000 },
          { customer: 'android', perSecond: 3_000, upTo: { CRITICAL: 2_000, SHEDDABLE: 500 } },
          { customer: 'batch', perSecond: 0.5 },
          { customer: 'internal', perSecond: Number.POSITIVE_INFINITY, upTo: { SHEDDABLE: 1 } },
        ],
        everyoneElse: { perSecond: 500 },
      },
      enforce: 'when-overloaded',
    });
  });

  it('may be short', () => {
    expect(parseQuotaFile('everyoneElse: { cpu: 0 }')).toEqual({
      unit: 'cpu',
      limits: { customers: [], everyoneElse: { perSecond: 0 } },
      enforce: 'always',
    });
  });

  it('may count in something else', () => {
    const text = 'unit: tokens\ncustomers:\n  ann: { tokens: 6/min }\neveryoneElse: { tokens: 5 }\n';
    expect(parseQuotaFile(text)).toMatchObject({
      unit: 'tokens',
      limits: { customers: [{ customer: 'ann', perSecond: 0.1 }], everyoneElse: { perSecond: 5 } },
    });
  });
});

describe('what is wrong with a file of quotas', () => {
  it.each([
    ['', 'q.yaml:1:1: must be a mapping, got nothing'],
    ['customers: {}', 'q.yaml:1:1: everyoneElse: is missing, must be a mapping like { cpu: 500 }'],
    ['everyoneElse: 500', 'q.yaml:1:15: everyoneElse: must be a mapping like { cpu: 500 }, got 500'],
    [
      'unit: upTo\neveryoneElse: { cpu: 5 }',
      'q.yaml:1:7: unit: must be a word other than upTo, like cpu or tokens, got "upTo"',
    ],
    [
      'unit: __proto__\neveryoneElse: { cpu: 5 }',
      'q.yaml:1:7: unit: must be a word other than upTo, like cpu or tokens, got "__proto__"',
    ],
    [
      'service: a b\neveryoneElse: { cpu: 5 }',
      'q.yaml:1:10: service: must be a name of letters, digits and ._:@-, got "a b"',
    ],
    ['customer: {}\neveryoneElse: { cpu: 5 }', 'q.yaml:1:1: customer: is not known, did you mean customers?'],
    [
      'everyoneElse: { cpu: 5 }\nenforce: never',
      'q.yaml:2:10: enforce: must be one of "always", "when-overloaded", got "never"',
    ],
  ])('%# is said with its place', (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });

  const AMOUNT = 'must be a number a second, a rate like "300/min", or unlimited';
  it.each([
    ['a: { cpu: 30/mni }', `3:13: customers.a.cpu: ${AMOUNT}, got "30/mni"`],
    ['a: { cpu: unlimted }', `3:13: customers.a.cpu: ${AMOUNT}, got "unlimted"`],
    ['a: { cpu: .inf }', `3:13: customers.a.cpu: ${AMOUNT}, got Infinity`],
    ['a: { cpu: [1] }', `3:13: customers.a.cpu: ${AMOUNT}, got a list of 1`],
    ['(no quota): { cpu: 1 }', `3:3: customers["(no quota)"]: the name must have ${CUSTOMER_WORDS}`],
    ['a: {}', `3:3: customers.a.cpu: is missing, ${AMOUNT}`],
    ['a: { cpu: -1 }', '3:13: customers.a.cpu: must be a number >= 0, got -1'],
    ['a: { cpu: 5, upto: {} }', '3:16: customers.a.upto: is not known, did you mean upTo?'],
    [
      'a: { cpu: 5, upTo: { SHEDABLE: 1 } }',
      '3:24: customers.a.upTo.SHEDABLE: is not known, did you mean SHEDDABLE?',
    ],
    [
      'a: { cpu: 5, upTo: { sheddable-plus: 1 } }',
      '3:24: customers.a.upTo.sheddable-plus: is not known, did you mean SHEDDABLE_PLUS?',
    ],
    [
      'a: { cpu: 5, upTo: { SHEDDABLE: unlimited } }',
      '3:35: customers.a.upTo.SHEDDABLE: must be a number a second, or a rate like "300/min", got "unlimited"',
    ],
    [
      'a: { cpu: 5, upTo: { CRITICAL_PLUS: 1 } }',
      '3:39: customers.a.upTo.CRITICAL_PLUS: all together have what the limit itself says: leave it out',
    ],
    [
      'a: { cpu: 60/min, upTo: { SHEDDABLE: 2 } }',
      '3:40: customers.a.upTo.SHEDDABLE: must be at most 1 a second, as cpu is, got 2',
    ],
    [
      'a: { cpu: 9, upTo: { SHEDDABLE: 4, SHEDDABLE_PLUS: 3, CRITICAL: 3 } }',
      '3:35: customers.a.upTo.SHEDDABLE: must be at most 3 a second, as SHEDDABLE_PLUS is, got 4',
    ],
  ])('a limit: %s', (text, problem) => {
    expect(ofCustomers(text)).toEqual([`q.yaml:${problem}`]);
  });

  it('may be another unit than that of the file', () => {
    expect(ofCustomers('a: { tokens: 5 }')).toEqual([
      `q.yaml:3:3: customers.a.cpu: is missing, ${AMOUNT}`,
      'q.yaml:3:8: customers.a.tokens: is not the unit of this file: write cpu, or unit: tokens at the top of the file',
    ]);
    expect(ofCustomers('a: { cpu: 5, bytes: 5, tokens: 5 }')).toEqual([
      'q.yaml:3:16: customers.a.bytes: is not the unit of this file: write cpu',
      'q.yaml:3:26: customers.a.tokens: is not the unit of this file: write cpu',
    ]);
  });

  it('may be a customer twice, or none', () => {
    expect(ofCustomers('a: { cpu: 5 }\n  a: { cpu: 6 }')).toEqual([
      'q.yaml:4:3: is here for the second time: leave one of them out',
    ]);
    expect(ofCustomers('"": { cpu: 5 }')).toEqual([
      expect.stringMatching(/^q\.yaml:3:3: customers\[""\]: the name must have 1 to 128 characters/),
    ]);
    expect(ofCustomers(`${'x'.repeat(129)}: { cpu: 5 }`)).toHaveLength(1);
    expect(ofCustomers('__proto__: { cpu: 5 }')).toEqual(['q.yaml:3:3: "__proto__" cannot be a name here']);
    expect(ofCustomers('constructor: { cpu: 5 }')).toEqual([]);
  });
});

describe('any file', () => {
  const words = [...new Set(FILE.match(/[\w.-]+|[{}:,/\n ]/g))];
  const part = fc.constantFrom(
    ...words,
    'upTo',
    'unlimited',
    '0',
    '-1',
    '.inf',
    '.nan',
    '[',
    '"',
    '&a ',
    '*a',
    'constructor',
  );

  it('is refused with reasons, or what it says can be enforced', () => {
    let accepted = 0;
    const edit = fc.record({
      at: fc.nat(FILE.length),
      remove: fc.nat(6),
      insert: fc.option(part, { nil: '' }),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const text = edits.reduce(
          (before, { at, remove, insert }) => before.slice(0, at) + insert + before.slice(at + remove),
          FILE,
        );
        try {
          const { limits } = parseQuotaFile(text);
          new QuotaEnforcement(limits);
          accepted++;
        } catch (error) {
          expect(error).toBeInstanceOf(SettingsError);
        }
      }),
      { numRuns: 150 },
    );
    expect(accepted).toBeGreaterThan(3);
  });
});

describe('the schema for editors', () => {
  it('knows the fields, and what they are', () => {
    const schema = quotaJsonSchema();
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      additionalProperties: false,
      required: ['everyoneElse'],
    });
    const { properties } = schema as { properties: Record<string, { description?: string }> };
    expect(Object.keys(parse(FILE))).toEqual(Object.keys(properties));
    for (const field of Object.values(properties)) expect(field.description).toBeTruthy();
    expect(properties['enforce']).toMatchObject({ enum: ['always', 'when-overloaded'], default: 'always' });
    expect(JSON.stringify(properties['customers'])).toContain('"SHEDDABLE_PLUS"');
  });
});

describe('the documentation', () => {
  const page = readFileSync(new URL('../../docs/quota-file.md', import.meta.url), 'utf8');

  it('shows a file that is right, and has a row for each field', () => {
    const { limits } = parseQuotaFile(/```yaml\n([\s\S]*?)```/.exec(page)![1]!);
    expect(limits.customers).toHaveLength(4);
    for (const key of QUOTA_FILE_KEYS) expect(page).toContain(`\n| \`${key}\` |`);
  });
});
