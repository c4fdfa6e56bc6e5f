import { checkInteger } from '../../core/check.js';
import { spread } from '../../core/measuring/index.js';
import { countConnections, type SubsettingAlgorithm } from '../../core/subsetting/index.js';
import type { Figure } from '../report/figure.js';
import type { Row } from '../report/result.js';
import type { ScenarioOptions } from './scenario.js';

/** The fleet of SRE ch. 20, figures 20-3 to 20-5. */
export const CLIENTS = 300;
export const BACKENDS = 300;

export function backendKeys(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `backend-${index}`);
}

/** Connections of each backend when every client has chosen its subset, for `draws` seeds in a row. */
export function drawConnections(
  algorithm: SubsettingAlgorithm,
  size: number,
  draws: number,
  seed: number,
  onDraw: () => void,
): Uint32Array[] {
  checkInteger('seed', seed, 0, 0xffff_ffff - draws + 1);
  const backends = backendKeys(BACKENDS);
  return Array.from({ length: draws }, (_, draw) => {
    const counts = countConnections({
      algorithm,
      size,
      seed: seed + draw,
      clientCount: CLIENTS,
      backends,
    });
    onDraw();
    return counts;
  });
}

/** Nothing here takes virtual time: a draw counts as an event. */
export function countDraws(draws: number, onProgress: ScenarioOptions['onProgress']): () => void {
  let done = 0;
  return () => onProgress?.({ share: ++done / draws, events: done });
}

export function connectionsRow(algorithm: SubsettingAlgorithm, size: number, counts: Uint32Array): Row {
  const { min, mean, max, minOverMean, maxOverMean, waste } = spread(counts);
  return {
    section: 'connections of a backend',
    algorithm,
    size,
    minConnections: min,
    meanConnections: mean,
    maxConnections: max,
    minOverMean,
    maxOverMean,
    wasteConnections: waste,
  };
}

/** As in the book: a bar for each backend, in the order of the list. */
export function connectionsFigure(title: string, caption: string, counts: Uint32Array): Figure {
  const { mean } = spread(counts);
  return {
    title,
    caption,
    panels: [
      {
        kind: 'bars',
        title: `${CLIENTS} clients, ${BACKENDS} backends`,
        x: { label: 'backend', categories: Array.from(counts, (_, backend) => String(backend)) },
        y: { label: 'connections' },
        bars: [{ name: 'connections', values: [...counts] }],
        marks: [{ value: mean, label: `mean ${mean}` }],
      },
    ],
  };
}
