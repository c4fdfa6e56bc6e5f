import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Figure } from '../simulator/report/figure.js';
import { UsageError } from './usage-error.js';

/** Before something is simulated for minutes: whether its figures could be written. */
export function checkWritable(path: string): void {
  explain(path, () => {
    if (existsSync(path) && statSync(path).isDirectory()) throw new Error('it is a folder');
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  });
}

/** All of them are drawn before the file is touched. */
export async function writeFigures(path: string, figures: readonly Figure[]): Promise<void> {
  // ECharts is loaded only by those who draw.
  const { drawFigures } = await import('./figures/draw.js');
  const svg = drawFigures(figures);
  explain(path, () => writeFileSync(path, svg));
}

function explain(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${(error as Error).message}`);
  }
}
