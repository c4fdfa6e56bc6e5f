import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for something to become so, looking again and again; what it is called is in the error when it does not. */
export async function until(what: string, isSo: () => boolean, withinMs = 20_000): Promise<void> {
  const beganMs = performance.now();
  while (!isSo()) {
    if (performance.now() > beganMs + withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(5);
  }
}
