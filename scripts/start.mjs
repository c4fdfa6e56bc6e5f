// `npm start`: the demo, from the built output, building it first when it is stale.
import { ensureBuilt, main, runProgram } from './lib/project.mjs';

main(ensureBuilt);
await runProgram(['demo', ...process.argv.slice(2)]);
