import { expect, it } from 'vitest';
import { semiSpaceFlag, semiSpaceHint } from './young-generation.js';

const GB = 2 ** 30;
const NOTHING = { execArgv: [], nodeOptions: undefined };

it.each([
  [64 * GB, 64],
  [GB, 64],
  [GB - 1, 32],
  [GB / 2, 32],
  [GB / 4, 16],
  [GB / 64, 1],
  [1, 1],
])(
  'with %d bytes a semi-space is at most a sixteenth, a power of two, and 64 MB: %d',
  (memoryBytes, megabytes) => {
    expect(semiSpaceFlag(memoryBytes, NOTHING)).toBe(`--max-semi-space-size=${megabytes}`);
  },
);

it.each([
  { execArgv: ['--enable-source-maps', '--max-semi-space-size=8'], nodeOptions: undefined },
  { execArgv: ['--max_semi_space_size=8'], nodeOptions: undefined },
  { execArgv: [], nodeOptions: '--no-warnings --min-semi-space-size=8' },
  { execArgv: [], nodeOptions: '"--max-semi-space-size=8"' },
])('what somebody has said holds: %j', (said) => {
  expect(semiSpaceFlag(GB, said)).toBe(undefined);
});

it('other words of Node say nothing of it', () => {
  const said = { execArgv: ['--max-old-space-size=512'], nodeOptions: '--title=a--max-semi-space-size=8' };
  expect(semiSpaceFlag(GB, said)).toBe('--max-semi-space-size=64');
});

it('tells people of it where memory is scarce, and nobody has said anything', () => {
  expect(semiSpaceHint(GB / 2, NOTHING)).toBe(
    'with 512 MB of memory Node stops often to collect: NODE_OPTIONS=--max-semi-space-size=32 makes that rare',
  );
  expect(semiSpaceHint(GB / 2, { ...NOTHING, execArgv: ['--max-semi-space-size=2'] })).toBe(undefined);
  expect(semiSpaceHint(2 * GB, NOTHING)).toBe(undefined);
});
