import { type Spread, spread } from '../../../src/core/measuring/spread.js';
import type { BackendReading } from './demo.js';
import type { ServicePart } from './snapshot.js';

/** A line of the table of backends: what a client knows of one. */
export interface BackendRow {
  readonly url: string;
  /** Who it is to people. */
  readonly name: string;
  readonly note: string | undefined;
  readonly state: string;
  /** Undefined: it has not said. */
  readonly utilization: number | undefined;
  readonly active: number;
  /** Of the requests; undefined when nobody serves any. */
  readonly share: number | undefined;
  readonly weight: number | undefined;
  readonly requestsPerSecond: number | undefined;
  readonly errorsPerSecond: number | undefined;
  readonly latencyMs: number | undefined;
  readonly zone: string | undefined;
}

export function backendRows({ backends }: ServicePart, demo: readonly BackendReading[] = []): BackendRow[] {
  const served = backends.reduce((sum, { report }) => sum + (report?.requestsPerSecond ?? 0), 0);
  const names = new Map(demo.map((backend) => [originOf(backend.url), backend]));
  return backends.map(({ url, zone, state, active, report, weight, share, utilization }) => {
    const known = names.get(originOf(url));
    const perSecond = report?.requestsPerSecond;
    return {
      url,
      name: known?.name ?? url.replace(/^https?:\/\//, ''),
      note: known?.speed === undefined ? undefined : `${known.speed}×`,
      state,
      utilization: utilization ?? utilizationOf(report),
      active,
      // Without one of its own client, what backends say of themselves, which includes what others sent.
      share: share ?? (perSecond === undefined || served === 0 ? undefined : perSecond / served),
      weight,
      requestsPerSecond: perSecond,
      errorsPerSecond: report?.errorsPerSecond,
      latencyMs: report?.latencyMs,
      zone,
    };
  });
}

/** As policies read it: its own idea of how full it is, then its CPU. */
function utilizationOf(report: ServicePart['backends'][number]['report']): number | undefined {
  const own = report?.applicationUtilization;
  return own !== undefined && own > 0 ? own : report?.cpuUtilization;
}

export interface FleetSpread extends Spread {
  readonly backends: number;
  /** Of what is reserved, the part that the ideal case would not need. */
  readonly wasteShare: number;
}

/** Over those that take requests: one that is on its way out is not badly balanced. Undefined below two of them. */
export function spreadOf(rows: readonly BackendRow[]): FleetSpread | undefined {
  const loads = rows.flatMap(({ state, utilization }) =>
    state === 'ready' && utilization !== undefined ? [utilization] : [],
  );
  if (loads.length < 2) return undefined;
  const found = spread(loads);
  const reserved = found.max * loads.length;
  return { ...found, backends: loads.length, wasteShare: reserved === 0 ? 0 : found.waste / reserved };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
