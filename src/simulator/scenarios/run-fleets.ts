import { Fleet, type FleetInput } from '../fleet/index.js';
import type { ScenarioOptions } from './scenario.js';

/** Runs several fleets one after the other, as one piece of progress. Each is let go once `look` has seen it. */
export function runFleets<T>(
  inputs: readonly FleetInput[],
  { seed, onProgress }: ScenarioOptions,
  look: (fleet: Fleet, index: number) => T,
  sampleMs = 1_000,
): T[] {
  let eventsBefore = 0;
  return inputs.map((input, index) => {
    const fleet = new Fleet(input, {
      seed,
      sampleMs,
      onProgress: (share, events) =>
        onProgress?.({ share: (index + share) / inputs.length, events: eventsBefore + events }),
    }).run();
    eventsBefore += fleet.kernel.events;
    return look(fleet, index);
  });
}
