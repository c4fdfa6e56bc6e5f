import { roleOf } from './demo/child.js';
import { DEMO_HELP, parseDemoArgs } from './demo/demo-args.js';
import type { Terminal } from './terminal.js';

/** Returns the exit code; of one that runs until it is told to end, never. */
export async function demo(args: string[], terminal: Terminal): Promise<number> {
  const role = roleOf();
  if (role !== undefined) return await play(role);
  const given = parseDemoArgs(args);
  if (given === undefined) {
    terminal.print(DEMO_HELP);
    return 0;
  }
  const { runDemo } = await import('./demo/run-demo.js');
  return await runDemo(given, terminal);
}

/** One of the processes that the demo has started; each loads only what it needs. */
async function play(role: 'backend' | 'load'): Promise<never> {
  if (role === 'backend') {
    const { runBackend } = await import('./demo/backend/backend-process.js');
    runBackend();
  } else {
    const { runLoad } = await import('./demo/load/load-process.js');
    runLoad();
  }
  return await new Promise<never>(() => {});
}
