// `npm start`: the demo, from the built output, building it first when it is stale.
import { spawn } from 'node:child_process';
import { ensureBuilt, main, root } from './lib/project.mjs';

main(() => {
  ensureBuilt();
  const child = spawn(process.execPath, [`${root}/dist/cli/main.js`, 'demo', ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  // Who ends this ends the demo; Ctrl-C reaches both, and the demo is waited for.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 0 : 1);
  });
});
