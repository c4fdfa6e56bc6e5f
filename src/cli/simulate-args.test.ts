import { describe, expect, it } from 'vitest';
import { parseSimulateArgs, SIMULATE_HELP } from './simulate-args.js';
import { UsageError } from './usage-error.js';

const parse = (line: string) => parseSimulateArgs(line.split(' ').filter((word) => word !== ''));

describe('the arguments of simulate', () => {
  it('ask for a scenario', () => {
    expect(parse('plateau')).toEqual({
      kind: 'one',
      subject: 'plateau',
      seed: 0,
      isJson: false,
      policies: undefined,
      svg: undefined,
    });
    expect(parse('plateau --seed 7 --json --policy weighted,prequal --svg a.svg')).toEqual({
      kind: 'one',
      subject: 'plateau',
      seed: 7,
      isJson: true,
      policies: ['weighted', 'prequal'],
      svg: 'a.svg',
    });
  });

  it('ask for something else', () => {
    expect(parse('--help --list')).toEqual({ kind: 'help' });
    expect(parse('-h')).toEqual({ kind: 'help' });
    expect(parse('--list')).toEqual({ kind: 'list' });
    expect(parse('--all --seed 3')).toEqual({ kind: 'all', seed: 3, isJson: false });
    expect(parse('--all --json')).toEqual({ kind: 'all', seed: 0, isJson: true });
    expect(parse('')).toBeUndefined();
  });

  it('take blanks between policies', () => {
    expect(parseSimulateArgs(['x', '--policy', 'weighted, prequal'])).toMatchObject({
      policies: ['weighted', 'prequal'],
    });
  });

  it.each([
    ['a b', 'simulate takes one scenario, got a and b'],
    ['a --seed 1.5', '--seed takes a whole number from 0 to 999999999, got "1.5"'],
    ['a --seed=-1', '--seed takes a whole number from 0 to 999999999, got "-1"'],
    ['a --seed 1234567890', 'got "1234567890"'],
    ['a --policy prequel', 'there is no policy "prequel", did you mean prequal?'],
    [
      'a --policy fastest',
      'there is no policy "fastest", there are round-robin, least-loaded, weighted, prequal',
    ],
    ['a --policy weighted,weighted', '--policy names weighted twice'],
    ['a --policy weighted,', 'there is no policy ""'],
    ['a --svg=', '--svg needs the name of a file'],
    ['--all a', '--all runs all scenarios as they are, without a'],
    ['--all --policy weighted', '--all runs all scenarios as they are, without --policy'],
    ['--all --svg a.svg', '--all runs all scenarios as they are, without --svg'],
  ])('%j are refused', (line, message) => {
    expect(() => parse(line)).toThrow(UsageError);
    expect(() => parse(line)).toThrow(message);
  });

  it('are refused by the parser when it does not know them', () => {
    expect(() => parse('a --sed 1')).toThrow("Unknown option '--sed'");
  });

  it('are all in the help', () => {
    for (const option of ['--seed', '--policy', '--json', '--svg', '--list', '--all', 'prequal'])
      expect(SIMULATE_HELP).toContain(option);
  });
});
