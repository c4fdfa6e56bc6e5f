import { spawn } from 'node:child_process';

/** What opens an address on this system. */
export function openCommand(platform: NodeJS.Platform): readonly [command: string, ...args: string[]] {
  if (platform === 'darwin') return ['open'];
  // The empty text is the title of a window: `start` takes the first thing in quotes for one.
  return platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
}

/** A machine without a browser is told of, and nothing else happens. */
export function openInBrowser(url: string, note: (line: string) => void): void {
  const [command, ...args] = openCommand(process.platform);
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', ({ message }) => note(`the page could not be opened: ${message}`));
  child.unref();
}
