import { spawn } from 'node:child_process';

/** What opens a file on this system. */
export function openCommand(platform: NodeJS.Platform): readonly [command: string, ...args: string[]] {
  if (platform === 'darwin') return ['open'];
  // The empty text is the title of a window: `start` takes the first thing in quotes for one.
  return platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
}

/**
 * A file that leads to an address. Whoever is on this machine may read the arguments of every program on it, a browser's
 * too: an address with a token is no argument. A file may be for its owner alone.
 */
export function leadingTo(url: string): string {
  const quoted = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${quoted}">
<title>Plimsoll</title>
<p><a href="${quoted}">The page of the demo</a></p>
</html>
`;
}

/** A machine without a browser is told of, and nothing else happens. */
export function openInBrowser(file: string, note: (line: string) => void): void {
  const [command, ...args] = openCommand(process.platform);
  const child = spawn(command, [...args, file], { stdio: 'ignore', detached: true });
  child.on('error', ({ message }) => note(`the page could not be opened: ${message}`));
  child.unref();
}
