// `npm run fuzz:settings -- [files]`: mutated files of a gateway, 10,000 unless told: never a crash, never an accepted nonsense.
import { spawnSync } from 'node:child_process';
import { root } from './lib/project.mjs';

const files = process.argv[2] ?? '10000';
if (!/^\d+$/.test(files)) {
  console.error(`how many files must be a whole number, got ${JSON.stringify(files)}`);
  process.exit(1);
}
const args = ['vitest', 'run', '--project', 'integration*', 'test/integration/gateway/fuzz'];
const { status } = spawnSync('npx', args, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PLIMSOLL_FUZZ: files },
});
process.exitCode = status ?? 1;
