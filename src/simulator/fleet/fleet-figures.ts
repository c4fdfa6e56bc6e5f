import type { Line, LinePanel } from '../report/figure.js';
import type { Fleet } from './fleet.js';
import type { GroupSample } from './samples.js';

/** Seconds since the measured time began. */
function secondsOf(fleet: Fleet, timeMs: number): number {
  return (timeMs - fleet.spec.warmupMs) / 1_000;
}

/** CPU of each backend of a service over time: one thin line each (SRE ch. 20, figure 20-6). */
export function cpuPanel(fleet: Fleet, service: string, title: string): LinePanel {
  const { backends } = fleet.service(service);
  const lines = backends.map(({ key }, index): Line => {
    const points = fleet.samples.map(
      ({ timeMs, services }) => [secondsOf(fleet, timeMs), services[service]!.cpu[index]!] as const,
    );
    return { name: key, points, isThin: true };
  });
  return { kind: 'lines', title, x: { label: 'time, s' }, y: { label: 'CPU, 1 = reserved' }, lines };
}

/** Something about a group of clients over time, per second. */
export function rateLine(
  fleet: Fleet,
  group: string,
  name: string,
  count: (sample: GroupSample) => number,
): Line {
  const stretchSeconds = stretchMs(fleet) / 1_000;
  const points = fleet.samples.map(
    ({ timeMs, groups }) => [secondsOf(fleet, timeMs), count(groups[group]!) / stretchSeconds] as const,
  );
  return { name, points };
}

function stretchMs({ samples, spec }: Fleet): number {
  return samples.length === 0 ? spec.durationMs : (samples.at(-1)!.timeMs - spec.warmupMs) / samples.length;
}
