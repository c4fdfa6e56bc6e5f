// `npm run -s plimsoll -- <command> …`: the program from the built output, building it first when it is stale.
import { ensureBuilt, main, root, run } from './lib/project.mjs';

main(() => {
  ensureBuilt();
  run(process.execPath, [`${root}/dist/cli/main.js`, ...process.argv.slice(2)]);
});
