import { checkInteger } from '../../core/check.js';
import { CRITICALITIES } from '../../core/criticality.js';
import { spread } from '../../core/measuring/index.js';
import type { Row } from '../report/result.js';
import type { Fleet } from './fleet.js';
import type { Tally } from './traffic.js';

/** What became of requests, for each group of clients and criticality; `of` names the run among others. */
export function requestRows(fleet: Fleet, of: Row = {}): Row[] {
  const seconds = fleet.spec.durationMs / 1_000;
  return fleet.groups.flatMap(({ name, traffic }) => {
    const used = CRITICALITIES.filter((criticality) => traffic.of(criticality).offered > 0);
    const rows = used.map((criticality) =>
      tallyRow(traffic.of(criticality), seconds, { clients: name, criticality }),
    );
    if (used.length !== 1) rows.push(tallyRow(traffic.all, seconds, { clients: name, criticality: 'all' }));
    return rows.map((row) => ({ section: 'requests', ...of, ...row }));
  });
}

function tallyRow(tally: Tally, seconds: number, names: Row): Row {
  const { offered, good, ends, errors, retries } = tally;
  const shareOf = (count: number) => (offered === 0 ? 0 : count / offered);
  return {
    ...names,
    offeredPerSecond: offered / seconds,
    goodputPerSecond: good / seconds,
    servedShare: shareOf(good),
    shedShare: shareOf(ends.shed + ends.limited),
    throttledShare: shareOf(ends.throttled),
    unsentShare: shareOf(ends.unsent),
    errorShare: shareOf(errors),
    retriesShare: shareOf(retries),
    p50Ms: tally.latencyMs(0.5),
    p90Ms: tally.latencyMs(0.9),
    p99Ms: tally.latencyMs(0.99),
    p999Ms: tally.latencyMs(0.999),
  };
}

/** How evenly each service's load lies on its backends, and what they did. */
export function backendRows(fleet: Fleet, of: Row = {}): Row[] {
  const seconds = fleet.spec.durationMs / 1_000;
  return fleet.services.map(({ name, backends }) => {
    const { minOverMean, maxOverMean, mean, waste } = cpuOverRun(fleet, name);
    const sum = (count: (index: number) => number) =>
      backends.reduce((added, _, index) => added + count(index), 0);
    const perSecond = (count: (index: number) => number) => sum(count) / seconds;
    return {
      section: 'backends',
      ...of,
      service: name,
      backends: backends.length,
      cpuShare: mean,
      minOverMean,
      maxOverMean,
      // In units of one backend's reserved cores: how many backends' worth is reserved in vain.
      waste,
      arrivalsPerSecond: perSecond((index) => backends[index]!.tally.arrivals),
      refusedPerSecond: perSecond((index) => backends[index]!.tally.refused),
      wastedPerSecond: perSecond((index) => backends[index]!.tally.wasted),
    };
  });
}

/** CPU over the whole measured time, 1 = all that is reserved. */
export function cpuOverRun(fleet: Fleet, service: string) {
  return spread(meanCpu(fleet, service, 0, fleet.samples.length));
}

/**
 * Max over mean of the backends' CPU in stretches of so many samples: what a typical stretch shows (the median). Over
 * the whole run a backend that is hot now and cold then would look like all others.
 */
export function typicalPeak(fleet: Fleet, service: string, samplesPerStretch: number): number {
  const peaks: number[] = [];
  checkInteger('samplesPerStretch', samplesPerStretch, 1);
  for (let at = 0; at + samplesPerStretch <= fleet.samples.length; at += samplesPerStretch) {
    peaks.push(spread(meanCpu(fleet, service, at, at + samplesPerStretch)).maxOverMean);
  }
  return peaks.toSorted((a, b) => a - b)[peaks.length >> 1] ?? 1;
}

function meanCpu(fleet: Fleet, service: string, from: number, to: number): Float64Array {
  const mean = new Float64Array(fleet.service(service).backends.length);
  for (const { services } of fleet.samples.slice(from, to)) {
    for (const [index, cpu] of services[service]!.cpu.entries()) mean[index]! += cpu / (to - from);
  }
  return mean;
}
