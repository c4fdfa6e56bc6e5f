import { readdirSync, readFileSync } from 'node:fs';

/** The processes that one has started, as Linux lists them. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  return statusOf(pid)?.parent;
}

/** Whether a process is still there, and not only its name until somebody asks what became of it. */
export function isAlive(pid: number): boolean {
  const status = statusOf(String(pid));
  return status !== undefined && status.state !== 'Z';
}

function statusOf(pid: string): { state: string; parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of a program is in parentheses, and may hold anything.
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
