// `npm run -s bench -- <name> [--json]`
import { ensureToolsBuilt, main, root, run } from './lib/project.mjs';

main(() => {
  ensureToolsBuilt();
  run(process.execPath, ['--expose-gc', `${root}/.build/bench/main.js`, ...process.argv.slice(2)]);
});
