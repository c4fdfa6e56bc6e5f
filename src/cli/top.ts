import type { Terminal } from './terminal.js';
import { AdminReader, AdminUnreadable } from './top/admin-reader.js';
import { Screen } from './top/screen.js';
import { parseTopArgs, TOP_HELP } from './top/top-args.js';
import { Watch } from './top/watch.js';
import { UsageError } from './usage-error.js';

const CTRL_C = '\u0003';

/** Returns the exit code. */
export async function top(args: string[], terminal: Terminal): Promise<number> {
  const given = parseTopArgs(args);
  if (given === undefined) {
    terminal.print(TOP_HELP);
    return 0;
  }
  const watch = new Watch(new AdminReader(given.origin, given.token), given.everyMs);
  try {
    // What cannot be read at all is said before anything is drawn.
    await watch.look();
  } catch (error) {
    throw error instanceof AdminUnreadable ? new UsageError(error.message) : error;
  }
  if (given.isOnce) {
    // Rates take two looks.
    await watch.pause();
    await watch.look();
    terminal.print(watch.lines(terminal.width).join('\n'));
    return 0;
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => watch.end());
  if (process.stdout.isTTY) await draw(watch);
  else await watch.run(() => terminal.print(`${watch.lines(terminal.width).join('\n')}\n`));
  return 0;
}

async function draw(watch: Watch): Promise<void> {
  const { stdin, stdout } = process;
  const screen = new Screen(stdout);
  const redraw = () => screen.draw(watch.lines(screen.width));
  const onKey = (key: Buffer) => {
    if (key.toString() === 'q' || key.toString() === CTRL_C) watch.end();
  };
  stdout.on('resize', redraw);
  if (stdin.isTTY) stdin.setRawMode(true).on('data', onKey);
  // Whatever happens, the terminal is as it was.
  process.once('exit', () => screen.close());
  screen.open();
  try {
    await watch.run(redraw);
  } finally {
    screen.close();
    stdout.off('resize', redraw);
    if (stdin.isTTY) stdin.setRawMode(false).off('data', onKey).pause();
  }
}
