// `npm run -s faults -- [--only a,b] [--json] [--list] [--write]`
import { ensureFaketime } from './lib/faketime.mjs';
import { ensureToolsBuilt, main, root, run } from './lib/project.mjs';
import { ensureRedis } from './lib/redis.mjs';

main(() => {
  ensureToolsBuilt();
  const args = process.argv.slice(2);
  const isTold = args.some((arg) => ['--help', '-h', '--list'].includes(arg));
  if (!isTold) {
    if (ensureRedis() !== 0) process.exit(1);
    ensureFaketime();
  }
  run(process.execPath, [`${root}/.build/test/faults/main.js`, ...args]);
});
