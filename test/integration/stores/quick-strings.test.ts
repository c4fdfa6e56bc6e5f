import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** In a process of its own: in one that has run for a while others have mended it by chance. */
const SCRIPT = `
const areQuick = () => %HasFastProperties(String.prototype);
const { quickenStrings } = await import('./dist/stores/redis/quick-strings.js');
await import('ioredis');
const before = areQuick();
quickenStrings();
console.log(before, areQuick());
`;

it('keeps the methods of strings quick beside ioredis', () => {
  const args = ['--allow-natives-syntax', '--input-type=module', '-e', SCRIPT];
  expect(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout).toBe('false true\n');
});
