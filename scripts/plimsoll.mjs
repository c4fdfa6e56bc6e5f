// `npm run -s plimsoll -- <command> …`: the program from the built output, building it first when it is stale.
import { ensureBuilt, root, run } from './lib/project.mjs';

ensureBuilt();
run(process.execPath, [`${root}/dist/cli/main.js`, ...process.argv.slice(2)]);
