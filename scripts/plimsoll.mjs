// `npm run -s plimsoll -- <command> …`: the program from the built output, building it first when it is stale.
import { ensureBuilt, main, runProgram } from './lib/project.mjs';

main(ensureBuilt);
await runProgram(process.argv.slice(2));
