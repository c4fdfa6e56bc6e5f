// `npm start`: what there is to see so far.
import { ensureBuilt, main, root, run } from './lib/project.mjs';

main(() => {
  ensureBuilt();
  run(process.execPath, [
    `${root}/dist/cli/main.js`,
    'simulate',
    'subsetting-table',
    ...process.argv.slice(2),
  ]);
});
