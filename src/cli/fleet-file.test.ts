import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { MOST_BYTES, parseFleet, readFleetFile } from './fleet-file.js';
import { UsageError } from './usage-error.js';

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
    parseFleet(text, schema, 'fleet.yaml');
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message.split('\n');
  }
  return [];
}

describe('a fleet', () => {
  it('is read with its defaults', () => {
    expect(parseFleet('durationMs: 5\nservices:\n  web: { backends: 3 }\n', SCHEMA, 'x')).toEqual({
      durationMs: 5,
      services: { web: { backends: 3, policy: 'prequal' } },
    });
  });

  it('may be JSON, with tabs', () => {
    const text = '{\n\t"durationMs": 5,\n\t"services": {\n\t\t"web": { "backends": 3 }\n\t}\n}';
    expect(parseFleet(text, SCHEMA, 'x')).toMatchObject({ durationMs: 5 });
  });

  it('may use an anchor again', () => {
    const text = 'durationMs: 5\nservices:\n  a: &a { backends: 3 }\n  b: *a\n';
    expect(parseFleet(text, SCHEMA, 'x').services['b']).toEqual({ backends: 3, policy: 'prequal' });
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

describe('what YAML does not allow, or we do not', () => {
  it.each([
    ['a: 1\na: 2\n', 'fleet.yaml:2:1: Map keys must be unique'],
    ['a: [1\n', 'fleet.yaml:2:1: Flow sequence in block collection must be sufficiently indented'],
    ['a: !secret 1\n', 'fleet.yaml:1:4: Unresolved tag: !secret'],
    ['a: !!binary aGVsbG8=\n', 'fleet.yaml:1:4: Unresolved tag'],
    ['a: 1\n---\nb: 2\n', 'fleet.yaml:2:1: Source contains multiple documents'],
    ['? [a]\n: 1\n', 'fleet.yaml:1:3: With stringKeys, all keys must be strings'],
    ['a: *nothing\n', 'fleet.yaml: Unresolved alias'],
    ['['.repeat(100_000), 'fleet.yaml is nested too deeply'],
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
      'fleet.yaml: Excessive alias count indicates a resource exhaustion attack',
    ]);
  });

  it('does not hide faults of schemas', () => {
    const faulty = z.any().refine(() => {
      throw new Error('a fault');
    });
    expect(() => parseFleet('a: 1', faulty, 'x')).toThrow('a fault');
  });
});

describe('a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-fleet-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, content: string | Uint8Array) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it('is read, and called by its path', () => {
    const path = write('good.yaml', 'durationMs: 5\nservices: {}\n');
    expect(readFleetFile(path, SCHEMA)).toEqual({ durationMs: 5, services: {} });
    const bad = write('bad.yaml', 'durationMs: 0\nservices: {}\n');
    expect(() => readFleetFile(bad, SCHEMA)).toThrow(`${bad}:1:13: durationMs: must be a number > 0, got 0`);
  });

  it('that cannot be read is not believed', () => {
    const missing = join(folder, 'missing.yaml');
    expect(() => readFleetFile(missing, SCHEMA)).toThrow(`${missing} cannot be read: ENOENT`);
    expect(() => readFleetFile(folder, SCHEMA)).toThrow('cannot be read: EISDIR');
    expect(() => readFleetFile(write('large.yaml', '#'.repeat(MOST_BYTES + 1)), SCHEMA)).toThrow(
      'is larger than 1 MB',
    );
    expect(() => readFleetFile(write('latin.yaml', Uint8Array.of(0xe4)), SCHEMA)).toThrow(
      'is no text in UTF-8',
    );
    expect(() => readFleetFile(write('whole.yaml', '#'.repeat(MOST_BYTES)), SCHEMA)).toThrow(
      'must be a mapping',
    );
  });
});
