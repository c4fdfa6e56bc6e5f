// `npm run -s bench -- <name> [--json]`
import { ensureToolsBuilt, root, run } from './lib/project.mjs';

ensureToolsBuilt();
run(process.execPath, ['--expose-gc', `${root}/.build/bench/main.js`, ...process.argv.slice(2)]);
