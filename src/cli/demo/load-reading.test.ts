import { expect, it } from 'vitest';
import { LoadMeter } from './load/load-meter.js';
import { loadReadingOf } from './load-reading.js';

it('says what happens in a second', () => {
  const meter = new LoadMeter(0);
  for (let request = 0; request < 300; request++) {
    meter.offered('A', 'CRITICAL');
    meter.ended('A', 'CRITICAL', request % 3 === 0 ? 'served' : 'refused', 12.3456);
  }
  meter.turn(2_000);
  expect(loadReadingOf(meter.recent, 50, 60)).toMatchObject({
    offeredPerSecond: 150,
    goodputPerSecond: 50,
    refusedPerSecond: 100,
    p50Ms: 12.35,
    multiple: 3,
    capacityPerSecond: 50,
    peakPerSecond: 60,
    byCriticality: { CRITICAL: { offered: 150, served: 50, refused: 100 }, SHEDDABLE: { offered: 0 } },
    byCustomer: { A: { offered: 150, served: 50, refused: 100 } },
  });
});

it('is all zeros before anything is known', () => {
  const nothing = loadReadingOf(undefined, 0, 0);
  expect(nothing).toMatchObject({ offeredPerSecond: 0, multiple: 0, p99Ms: 0, byCustomer: {} });
  expect(nothing.byCriticality.CRITICAL_PLUS).toEqual({ offered: 0, served: 0, refused: 0 });
});
