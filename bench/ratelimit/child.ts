import { forkOn, type Place } from '../overload/cores.js';
import { Asked } from '../overload/questions.js';

/** A process that goes on until it is stopped. */
export function startChild(place?: Place): Asked {
  const script = new URL('./children/main.js', import.meta.url);
  return new Asked(forkOn(place, script, ['--expose-gc']), 'a limiter');
}

/** Asks a process of its own: nothing that another section left behind is in its heap. */
export async function askChild<T>(question: string, argument?: unknown): Promise<T> {
  const child = startChild();
  try {
    return await child.ask<T>(question, argument);
  } finally {
    await child.stop();
  }
}
