/** Since Node 22.15, and not on Windows. */
interface Replaceable {
  readonly execve?: (file: string, args: readonly string[], environment: NodeJS.ProcessEnv) => never;
}

/**
 * Begins this program anew, as the same process, with further flags of Node's. Returns where that cannot be done, and
 * nothing has changed then. To be called before anything was opened that another program could miss.
 */
export function beginAgain(flags: readonly string[], self: NodeJS.Process & Replaceable = process): void {
  // Whoever started it (fork, PM2) holds the other end of a channel, which would be gone.
  if (self.execve === undefined || self.channel != null) return;
  const args = [self.argv0, ...self.execArgv, ...flags, ...self.argv.slice(1)];
  try {
    self.execve(self.execPath, args, self.env);
  } catch {
    // No such thing on this system, or the permission model forbids it: it serves as it is.
  }
}
