import { expect, it } from 'vitest';
import { beginAgain } from './begin-again.js';

const PROGRAM = {
  argv0: 'node',
  execPath: '/usr/bin/node',
  execArgv: ['--no-warnings'],
  argv: ['/usr/bin/node', '/app/main.js', 'gateway', 'a file.yaml'],
  env: { A: 'b' },
  channel: undefined,
};

function calls(of: object): unknown[][] {
  const called: unknown[][] = [];
  beginAgain(['--flag'], {
    ...PROGRAM,
    execve: (...args: unknown[]) => {
      called.push(args);
      throw new Error('not permitted');
    },
    ...of,
  } as never);
  return called;
}

it('is the same program with one more flag, and goes on as it is where that is not permitted', () => {
  const args = ['node', '--no-warnings', '--flag', '/app/main.js', 'gateway', 'a file.yaml'];
  expect(calls({})).toEqual([['/usr/bin/node', args, { A: 'b' }]]);
});

it.each([
  ['where Node cannot', { execve: undefined }],
  ['when somebody waits for messages', { channel: {} }],
])('goes on as it is %s', (_, of) => {
  expect(calls(of)).toEqual([]);
});
