import { expect, it } from 'vitest';
import { parseGatewayArgs } from './gateway-args.js';

it('takes a file and what to do with it', () => {
  expect(parseGatewayArgs(['g.yaml'])).toEqual({ file: 'g.yaml', action: 'run', workers: undefined });
  expect(parseGatewayArgs(['--check', 'g.yaml'])?.action).toBe('check');
  expect(parseGatewayArgs(['g.yaml', '--print-config', '--workers', '4'])).toMatchObject({
    action: 'print',
    workers: 4,
  });
  expect(parseGatewayArgs(['--help'])).toBe(undefined);
});

it.each([
  [[], 'gateway needs a file'],
  [['a', 'b'], 'gateway takes one file, got a and b'],
  [['a', '--workers', '0'], '--workers must be a whole number from 1 to 256, got "0"'],
  [['a', '--workers', 'auto'], '--workers must be'],
  [['a', '--check', '--print-config'], 'do not go together'],
])('does not take %j', (args, problem) => {
  expect(() => parseGatewayArgs(args)).toThrow(problem);
});
